import { setTimeout as sleep } from "node:timers/promises";

export interface RegisterOptions {
  signal: AbortSignal;
  log: (line: string) => void;
  retryEveryMs?: number;
}

/** Tells a remote engine about this app, by asking the app to register itself, until the engine has answered. */
export async function registerApp(
  serveUrl: string,
  engineUrl: string,
  { signal, log, retryEveryMs = 2000 }: RegisterOptions,
): Promise<void> {
  let told = false;
  while (!signal.aborted) {
    const problem = await tryOnce(serveUrl, signal);
    if (problem === undefined) {
      log(`Registered with Inngest at ${engineUrl}`);
      return;
    }
    if (!told && !signal.aborted) log(`Inngest at ${engineUrl} does not answer yet (${problem}); trying on`);
    told = true;
    await sleep(retryEveryMs, undefined, { signal }).catch(() => {});
  }
}

async function tryOnce(serveUrl: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(serveUrl, { method: "PUT", signal });
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
