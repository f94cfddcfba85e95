// The local engine over HTTP, in a process of its own.
import { createLocalEngine } from "@countersign/local-engine";
import postgres from "postgres";
import { appId } from "./instance.js";
import { serveAndTell, setting } from "./serve.js";

const engine = await createLocalEngine({
  apps: { [appId]: setting("APP_URL") },
  disorder: setting("DISORDER"),
  database: {
    postgres: postgres(setting("DATABASE_URL"), { max: 20, fetch_types: false, onnotice: () => {} }),
  },
});
await engine.start();
serveAndTell((request) => engine.fetch(request));
