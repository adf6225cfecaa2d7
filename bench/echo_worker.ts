/** The yardstick: gets a request, publishes it to JetStream with acknowledgement, replies. Nothing else. */
import { connect } from "nats";

const nc = await connect({ servers: Deno.env.get("NATS_URL") ?? "", resolve: false });
const js = nc.jetstream();
const manager = await nc.jetstreamManager();
await manager.streams.add({ name: "ECHO", subjects: ["echo.stored.>"] });
nc.subscribe("echo.call.*", {
  callback: (_error, message) => {
    js.publish(`echo.stored.${message.subject.slice("echo.call.".length)}`, message.data)
      .then((acknowledgement) => message.respond(JSON.stringify({ seq: acknowledgement.seq })));
  },
});
await nc.flush();
console.log("ready");
await nc.closed();
