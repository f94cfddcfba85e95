import { serve } from "@hono/node-server";

export interface Server {
  url: string;
  close(): void;
}

/** Serves on a free port. */
export function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<Server> {
  return new Promise((resolve) => {
    const server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve({
        url: `http://127.0.0.1:${port}`,
        close() {
          server.close();
          if ("closeAllConnections" in server) server.closeAllConnections();
        },
      }),
    );
  });
}
