import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";

/** Serves a handler on a port of this machine, by default a free one. */
export async function listenOn(fetch: (request: Request) => Promise<Response>, at = 0) {
  const server = createAdaptorServer({ fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(at, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
