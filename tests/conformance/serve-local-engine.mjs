// The local engine in a process of its own, over HTTP, as any Inngest server is. PORT chooses where; DEMO_ORIGIN and
// PROBE_ORIGIN are where the demo and the probe are, the only apps that may register.
import { createLocalEngine } from "@countersign/local-engine";
import { serve } from "@hono/node-server";

const { PORT, DEMO_ORIGIN, PROBE_ORIGIN } = process.env;
const { INNGEST_SIGNING_KEY: signingKey, INNGEST_EVENT_KEY: eventKey } = process.env;
const engine = await createLocalEngine({
  database: "memory",
  apps: { "countersign-demo": DEMO_ORIGIN, "countersign-probe": PROBE_ORIGIN },
  ...(signingKey && { signingKey }),
  ...(eventKey && { eventKeys: [eventKey] }),
});
await engine.start();
const server = serve({ fetch: engine.fetch, port: Number(PORT), hostname: "127.0.0.1" }, () =>
  console.log("The local engine listens"),
);
// Longer than clients keep idle connections, so that no request meets one that is being closed.
server.keepAliveTimeout = 120_000;
