import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { ConfigError } from "../config-error.js";

export interface Listener {
  port: number;
  close(): Promise<void>;
}

/** How long requests in progress may take to end once the server is closing. */
const closeGraceMs = 2000;

/**
 * Serves `fetch` on this host and port; port 0 picks a free one.
 *
 * @throws ConfigError if the port cannot be had.
 */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  { host, port }: { host: string; port: number },
): Promise<Listener> {
  const server = createAdaptorServer({
    fetch: async (request) => fetch(await toStandardRequest(request)),
    overrideGlobalObjects: false,
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen(port, host, resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      const cutOff = setTimeout(
        () => "closeAllConnections" in server && server.closeAllConnections(),
        closeGraceMs,
      );
      server.close(() => {
        clearTimeout(cutOff);
        resolve();
      });
      if ("closeIdleConnections" in server) server.closeIdleConnections();
    });
  return { port: portOf(server.address()), close };
}

/** The adaptor's requests only look like requests: the platform's `new Request(request)` refuses them. */
async function toStandardRequest(request: Request): Promise<Request> {
  const { url, method, headers, signal } = request;
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, { method, headers, signal, body: hasBody ? await request.arrayBuffer() : null });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new ConfigError([
        `PORT="${port}" is taken by another program. Stop it, or choose another: PORT=${port === 65_535 ? port - 1 : port + 1} npm run demo`,
      ]);
    case "EACCES":
      return new ConfigError([
        `PORT="${port}" is not allowed for this user. Choose one above 1023: PORT=3000`,
      ]);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new ConfigError([`HOST="${host}" is no address of this machine. For example: HOST=127.0.0.1`]);
    default:
      return error;
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address) return address.port;
  throw new Error("The server has no port");
}
