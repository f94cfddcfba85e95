import { serve } from "@hono/node-server";

/** Serves on a free port and reports the port to the driver. */
export function serveAndTell(fetch: (request: Request) => Response | Promise<Response>): void {
  serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => process.send?.({ type: "ready", port }));
}

/** A setting that the driver gives to every process of this kind. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
