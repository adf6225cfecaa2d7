/** What a setting's value must be, as schemas whose messages are the second half of a sentence: "must be …". */
import { z } from "zod";
import { isListenAddress, wholeAddress } from "./addresses.ts";
import { isPath } from "./paths.ts";

export const objectRule = "must be an object";
const addressRule = "must be a nats:// or tls:// address";
const loginRule = `${addressRule}, with what is before the @ percent-encoded`;
const pathRule = "must be a path, not the content of a file";

export const text = z.string("must be a text").min(1, "must not be empty");
export const name = matching(/^[\w-]+$/, "must be a name of A-Z, a-z, 0-9, _ and -");
export const subject = matching(
  /^[\w-]+(\.[\w-]+)*$/,
  "must be tokens of A-Z, a-z, 0-9, _ and - with dots between",
);
export const path = z.string(pathRule).refine(isPath, pathRule);
export const yesOrNo = z.boolean("must be true or false");

const address = z.string(addressRule).transform((given, context) => {
  const whole = wholeAddress(given);
  const message = given.includes("@") ? loginRule : addressRule;
  if (whole === undefined) context.addIssue({ code: "custom", message, input: given });
  return whole ?? z.NEVER;
});
export const addresses = z.array(address, "must be a list of addresses").readonly();

const listenRule = 'must be host:port or "off"';
export const listenAddressOrOff = z.string(listenRule).refine(
  (given) => given === "off" || isListenAddress(given),
  listenRule,
);

export function oneOf<const Values extends readonly (string | number)[]>(...values: Values) {
  const list = new Intl.ListFormat("en-GB", { type: "disjunction" });
  return z.literal(values, `must be ${list.format(values.map((value) => JSON.stringify(value)))}`);
}

export function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z.int(rule).min(min, rule).max(max, rule);
}

function matching(pattern: RegExp, rule: string) {
  return z.string(rule).regex(pattern, rule);
}
