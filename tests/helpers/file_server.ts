/** One server for all tests of a file: each of them uses pods of its own. */
import { startTestServer, type TestServer, type TestServerOptions } from "./test_server.ts";

/** Call it at the top of a test file: the server is gone when the file's tests are. */
export async function startFileServer(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  Deno.test.afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });
  return server;
}
