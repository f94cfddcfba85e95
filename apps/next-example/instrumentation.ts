/** Runs once when the server starts, and not during `next build`. What needs Node is in a file of its own. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { start } = await import("./instrumentation-node");
  await start();
}
