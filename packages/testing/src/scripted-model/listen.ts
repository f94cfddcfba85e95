import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model server on a real port. Dispose of it (`await using`) or close it. */
export interface ModelServer extends AsyncDisposable {
  /** Base URL without a trailing slash; append `/v1`. */
  url: string;
  close(): Promise<void>;
}

/** Serves `fetch` on 127.0.0.1. */
export async function listen(
  fetch: (request: Request) => Promise<Response>,
  port: number,
): Promise<ModelServer> {
  const server = createServer((incoming, outgoing) => {
    serve(fetch, incoming, outgoing).catch((error: unknown) => outgoing.destroy(asError(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      // Kept-alive sockets would otherwise hold the close back.
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${portOf(server.address())}`, close, [Symbol.asyncDispose]: close };
}

async function serve(
  fetch: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const method = incoming.method ?? "GET";
  const hasBody = method !== "GET" && method !== "HEAD";
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const request = new Request(`http://127.0.0.1${incoming.url ?? "/"}`, {
    method,
    headers,
    body: hasBody ? Buffer.concat(chunks) : null,
  });
  const response = await fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address) return address.port;
  throw new Error("The model server has no port");
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
