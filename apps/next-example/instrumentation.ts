/** Runs once when the server starts, and not during `next build`. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { store } = await import("./lib/countersign");
  await store.migrate();
}
