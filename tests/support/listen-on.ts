import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";

/** Serves a handler on a free port of this machine. */
export async function listenOn(fetch: (request: Request) => Promise<Response>) {
  const server = createAdaptorServer({ fetch });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
