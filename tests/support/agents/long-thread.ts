import { proposeCall } from "../proposals.js";
import type { Store } from "../store.js";

/** Writes a user's message into a thread. */
export const userEntry = (n: number, content = `Question ${n}`) => ({
  runId: "run_past",
  kind: "user" as const,
  key: `user:run_past.${n}`,
  bodyJson: JSON.stringify({ id: `message_${n}`, content }),
});

/** Writes an agent's response with one call and its result, or with text alone. */
export function resultEntry(
  n: number,
  {
    text = `Answer ${n}`,
    call,
  }: { text?: string; call?: { requestId: string; id: string; input: unknown; content: unknown } } = {},
) {
  const tool = call && { type: "tool", id: call.id, name: "refund", input: call.input };
  return {
    runId: "run_past",
    kind: "result" as const,
    key: `result:${call?.requestId ?? `req_words_${n}`}`,
    bodyJson: JSON.stringify({
      agentName: "support",
      output: tool
        ? [{ type: "tool_call", role: "assistant", stop_reason: "tool", tools: [tool] }]
        : [{ type: "text", role: "assistant", stop_reason: "stop", content: text }],
      toolCalls: tool
        ? [{ role: "tool_result", type: "tool_result", stop_reason: "tool", tool, content: call.content }]
        : [],
      createdAt: new Date(),
    }),
  };
}

/** Fills a thread with so many turns: a question, a gated call that was executed, and an answer. */
export async function fillThread(
  store: Store,
  {
    tenantId = "acme",
    threadId,
    turns,
    redact = [],
  }: { tenantId?: string; threadId: string; turns: number; redact?: string[] },
): Promise<void> {
  await store.openThread({ tenantId, id: threadId, ownerId: "requester", runId: "run_past" });
  for (let n = 0; n < turns; n++) {
    const input = { id: `A-${n}`, amount: n };
    const [call] = await proposeCall(store, {
      tenantId,
      threadId,
      runId: "run_past",
      ids: `${threadId}_${n}`,
      verdict: "notify",
      input,
      terms: { redact },
      announce: false,
    });
    if (!call) throw new Error("unreachable");
    await store.claim(call.id, "once", () => undefined);
    await store.finish(call.id, {
      status: "executed",
      outcomeJson: JSON.stringify({ status: "executed", data: { ok: n } }),
    });
    await store.appendEntries(tenantId, threadId, [
      userEntry(n),
      resultEntry(n, {
        call: { requestId: call.requestId, id: `call_${n}`, input, content: { data: { ok: n } } },
      }),
      resultEntry(n),
    ]);
  }
}
