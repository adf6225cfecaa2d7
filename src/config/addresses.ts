/**
 * Addresses as people write them: of NATS servers their whole form, the credentials in them and what may be shown; and
 * those to listen at.
 */

/** With scheme and port; undefined where `text` is no address. A number alone is a mistake, not a host. */
export function wholeAddress(text: string): string | undefined {
  const pattern =
    /^(?:(nats|tls):\/\/)?((?!\d+(?::|\/|$))[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::(\d+))?\/?$/i;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, scheme = "nats", host, port = "4222"] = match;
  return Number(port) > 0 && Number(port) <= 65_535 ? `${scheme.toLowerCase()}://${host}:${port}` : undefined;
}

/** An address without its credentials, and these by the settings' paths that they stand for. */
interface SplitAddress {
  readonly address: unknown;
  readonly login: readonly (readonly [path: string, value: string])[];
}

/** An address whose credentials cannot be read keeps them, for the schema to refuse. */
export function splitLogin(server: unknown): SplitAddress {
  const whole = { address: server, login: [] };
  if (typeof server !== "string") return whole;
  const match = /^((?:nats|tls):\/\/)?([^/:]*)(?::([^/]*))?@([^@]*)$/i.exec(server);
  if (match === null) return whole;
  const [, scheme = "", first = "", password, host = ""] = match;
  const encoded = password === undefined
    ? { "nats.token": first }
    : { "nats.user": first, "nats.password": password };
  try {
    const login = Object.entries(encoded).map(([path, text]) => [path, decodeURIComponent(text)] as const);
    return { address: `${scheme}${host}`, login };
  } catch (error) {
    if (error instanceof URIError) return whole;
    throw error;
  }
}

/** Scheme, host and port as far as they are any; the rest may be a password. */
export function redactedAddress(text: string): string {
  const match = /^(\w+:\/\/)?(.*@)?([\w.-]*(?::\d{1,5}\/?$)?)(.*)$/s.exec(text);
  const [, scheme = "", login = "", host = "", rest = ""] = match ?? [];
  return `${scheme}${login && "…@"}${host}${rest && "…"}`;
}

/** Where HTTP is served unless something else is configured. */
export const defaultListenAddress = "127.0.0.1:8642";

/** Whether the text is `host:port`, with the brackets that IPv6 needs. Port 0 is any that is free. */
export function isListenAddress(text: string): boolean {
  const [, port] = /^(?:\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)*):(\d{1,5})$/i.exec(text) ?? [];
  return port !== undefined && Number(port) <= 65_535;
}

/** The parts of an address to listen at, the host without brackets. */
export function listenParts(address: string): { readonly hostname: string; readonly port: number } {
  const colon = address.lastIndexOf(":");
  const hostname = address.slice(0, colon).replace(/^\[|\]$/g, "");
  return { hostname, port: Number(address.slice(colon + 1)) };
}

/** Whether nobody but this machine can reach it. */
export function isLoopback(address: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(listenParts(address).hostname);
}
