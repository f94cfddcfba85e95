import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { ConfigError } from "../config-error.js";
import { problem } from "./problem.js";

export interface Listener {
  port: number;
  close(): Promise<void>;
}

/** Time for requests in progress to finish when the server closes. */
const closeGraceMs = 2000;

/**
 * Serves `fetch` on a host and port. Port 0 picks a free one. Bodies are streamed.
 *
 * @throws ConfigError if the port is not available.
 */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  { host, port }: { host: string; port: number },
): Promise<Listener> {
  const server = createServer(getRequestListener(fetch, { errorHandler: explainFailure }));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen(port, host, resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      const cutOff = setTimeout(() => server.closeAllConnections(), closeGraceMs);
      server.close(() => {
        clearTimeout(cutOff);
        resolve();
      });
      server.closeIdleConnections();
    });
  return { port: portOf(server.address()), close };
}

/** The response to a malformed request, or to one whose route failed. */
function explainFailure(error: unknown): Response {
  if (error instanceof RequestError) {
    return problem(400, "The request is invalid", "Its URL or its Host header is not valid.", {
      code: "invalid_request",
    });
  }
  console.error(error);
  return problem(500, "Something failed", "The server's log says why.", { code: "internal" });
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
      return new ConfigError([
        `HOST="${host}" is not an address of this machine. For example: HOST=127.0.0.1`,
      ]);
    default:
      return error;
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address) return address.port;
  throw new Error("The server has no port");
}
