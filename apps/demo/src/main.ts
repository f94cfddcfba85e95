import { createDemo, type Demo } from "./app.js";
import { banner } from "./banner.js";
import { readConfig } from "./config.js";
import { ConfigError } from "./config-error.js";
import { listen } from "./http/listen.js";

/** Time for requests in progress. A second signal exits at once. */
const stopWithinMs = 10_000;

try {
  await run();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  for (const line of error.lines) console.error(line);
  process.exit(1);
}

async function run(): Promise<void> {
  const config = readConfig(process.env);
  // Listen before the database is opened: a second demo must not open the same PGlite folder.
  const probe = await listen(() => new Response(null, { status: 503 }), config);
  await probe.close();
  const demo = await createDemo(config);
  stopOnSignals(demo);
  await demo.start((line) => console.log(`  ${line}`));
  console.log(banner(config, demo.port));
  console.log(`  Ready on http://${config.host}:${demo.port}`);
}

function stopOnSignals(demo: Demo): void {
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      console.log("\n  Stopping. Waiting calls continue at the next start");
      setTimeout(() => process.exit(1), stopWithinMs).unref();
      demo.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
  }
}
