import { randomBytes } from "node:crypto";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { listenOn } from "../http/listen-on.js";
import { type Deed, tripServers } from "./trip-server.mjs";

/** The trip server over streamable HTTP. It records the requests it gets. */
export async function tripSite() {
  const deeds: Deed[] = [];
  const bodies: { method: string; params: Record<string, unknown> }[] = [];
  const handler = createMcpHandler(tripServers({ key: randomBytes(32), did: (deed) => deeds.push(deed) }));
  const site = {
    url: "",
    deeds,
    /** The requests of `tools/call`. */
    calls: () => bodies.filter(({ method }) => method === "tools/call").map(({ params }) => params),
    /** Answers requests before the server does. */
    before: undefined as ((request: Request) => Promise<Response | undefined>) | undefined,
    /** Changes the text of answers, except that of the first. */
    after: undefined as ((text: string) => string) | undefined,
    /** Raw results of the server, by request. */
    results: [] as string[],
    /** The request states that the server gave out, in order. */
    states: () =>
      [...site.results.join("\n").matchAll(/"requestState":("[^"]+")/g)].map(([, state]): string =>
        JSON.parse(state ?? ""),
      ),
    /** Ends the server; it can be started again at its address. */
    stop: () => server.close(),
    async start() {
      server = await listenOn(serve, Number(new URL(site.url).port));
    },
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.close();
    },
  };
  const serve = async (request: Request) => {
    const early = await site.before?.(request.clone());
    if (early) return early;
    if (request.method === "POST") bodies.push(JSON.parse(await request.clone().text()));
    const response = await handler.fetch(request);
    const text = await response.clone().text();
    const isLater = site.states().length > 0;
    site.results.push(text);
    if (!site.after || !isLater) return response;
    return new Response(site.after(text), response);
  };
  let server = await listenOn(serve);
  site.url = `${server.url}/mcp`;
  return site;
}

export type TripSite = Awaited<ReturnType<typeof tripSite>>;
