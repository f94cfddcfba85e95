// The local engine in a process of its own, over HTTP, as any Inngest server is. PORT chooses where.
import { createLocalEngine } from "@countersign/local-engine";
import { serve } from "@hono/node-server";

const engine = await createLocalEngine({ database: "memory" });
await engine.start();
serve({ fetch: engine.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" }, () =>
  console.log("The local engine listens"),
);
