import { assertEquals } from "@std/assert";
import { deliveryOf } from "../../../src/nats/nats_message.ts";

const delivery = { seq: 42, consumerSeq: 7, timeMs: 1_796_082_994_674, pending: 3 };
/** Delivered once; with the nanoseconds that milliseconds do not have. */
const said = "1.42.7.1796082994674123456.3";

Deno.test("deliveryOf() reads what a server says of a message, with a domain or without", () => {
  const replies = [
    `$JS.ACK.TASKS.reader.${said}`,
    `$JS.ACK.hub.ACCOUNT.TASKS.reader.${said}`,
    `$JS.ACK.hub.ACCOUNT.TASKS.reader.${said}.token`,
    `$JS.ACK._.ACCOUNT.TASKS.reader.${said}.token`,
  ];
  assertEquals(replies.map((reply) => deliveryOf({ reply })), replies.map(() => delivery));
});

Deno.test("deliveryOf() is null where a message says nothing of the kind", () => {
  const replies = ["", "_INBOX.x", "$JS.API.INFO"];
  assertEquals([deliveryOf({}), ...replies.map((reply) => deliveryOf({ reply }))], [null, null, null, null]);
});

for (
  const reply of [
    "$JS.ACK.",
    "$JS.ACK.TASKS.reader",
    "$JS.ACK.TASKS.reader.1.42.7.1796082994674123456",
    "$JS.ACK.hub.TASKS.reader.1.42.7.1796082994674123456.3",
  ]
) {
  Deno.test(`deliveryOf() is null where the reply has no form that is known: ${reply}`, () => {
    assertEquals(deliveryOf({ reply }), null);
  });
}
