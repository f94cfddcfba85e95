import { countersign, store } from "./lib/countersign";

/** Brings the schema up to date, and lets the handlers that run end before the process does. */
export async function start(): Promise<void> {
  await store.migrate();
  process.once("SIGTERM", async () => {
    await countersign.close();
    process.exit(0);
  });
}
