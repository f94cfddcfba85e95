import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An HTTP server that keeps the requests it receives and answers them with `answer`. */
export async function openReceiver(answer: (response: ServerResponse, received: Received) => void = ok) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    const one = { method, path, headers, body: await text(request) };
    received.push(one);
    answer(response, one);
  });
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function ok(response: ServerResponse): void {
  response.end();
}

/** Answers with a status and headers. */
export function status(code: number, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(code, headers).end("the receiver's secret words");
  };
}
