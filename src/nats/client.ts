/**
 * The one place where the NATS client library is imported: what of it is used, and nothing else. Its one flaw that a
 * whole process would feel is mended here.
 */
export {
  AckPolicy,
  connect,
  type ConnectionOptions,
  credsAuthenticator,
  DeliverPolicy,
  DiscardPolicy,
  ErrorCode,
  Events,
  headers,
  type JetStreamManager,
  type Msg,
  type MsgHdrs,
  MsgHdrsImpl,
  nanos,
  type NatsConnection,
  NatsError,
  nkeyAuthenticator,
  nuid,
  RetentionPolicy,
  StorageType,
  StoreCompression,
  type StoredMsg,
  type StreamConfig,
  type StreamInfo,
  type Subscription,
} from "nats";

// It takes its listeners off a socket that the server may still reset: that nobody hears of it would end the process.
globalThis.addEventListener("error", (event) => {
  if (isSocketError(event.error)) event.preventDefault();
});

function isSocketError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isReset = "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
  return isReset || error.message.startsWith("received fatal alert: ");
}
