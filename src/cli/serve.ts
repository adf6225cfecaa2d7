/** `serve`: the worker. What it is made of is put together in `main.ts`. */
import type { Command } from "./command.ts";

export const serve: Command = {
  name: "serve",
  form: "",
  about: [
    "Runs the worker, which answers the calls of all pods.",
    "Where no NATS address is configured it starts a private nats-server, and stops it when it stops.",
  ],
  options: {},
  endsOnStop: true,
  async run(world) {
    await world.serve();
    return 0;
  },
};
