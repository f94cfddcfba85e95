import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves a fetch handler on a free port of this machine. */
export async function listenWithFetch(
  handle: (request: Request) => Promise<Response>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", async () => {
      const headers = new Headers();
      for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
      const method = incoming.method ?? "GET";
      const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
      const response = await handle(
        new Request(new URL(incoming.url ?? "/", `http://${incoming.headers.host}`), {
          method,
          headers,
          body,
        }),
      );
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
