import type { ServerContext } from "@modelcontextprotocol/server";

/** Reports progress while a tool waits, so that the client does not give up. Only for clients that ask for it. */
export async function withProgress<T>(
  { mcpReq }: ServerContext,
  everyMs: number,
  wait: () => Promise<T>,
): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return wait();
  let progress = 0;
  const report = async () => {
    progress += 1;
    const params = { progressToken, progress, message: "It waits for a person" };
    // The client may have gone.
    await mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  await report();
  const timer = setInterval(report, everyMs);
  try {
    return await wait();
  } finally {
    clearInterval(timer);
  }
}
