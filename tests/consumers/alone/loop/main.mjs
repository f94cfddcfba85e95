// Two agents that ask before they refund, in a project without AgentKit.
import { createLocalEngine } from "@countersign/local-engine";
import { MockLanguageModelV4 } from "ai/test";
import { ask, createCountersign, definePolicy } from "countersign";
import { pgliteStore } from "countersign/pglite";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { functionsOf } from "./desk.ts";

const store = pgliteStore();
await store.migrate();
const engine = await createLocalEngine({ database: "memory" });
const inngest = new Inngest({ id: "shop", isDev: true, baseUrl: engine.baseUrl, fetch: engine.fetch });
const countersign = createCountersign({
  inngest,
  store,
  policy: definePolicy({ tools: { refund: ask() } }),
});

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const result = prompt.flatMap(({ role, content }) => (role === "tool" ? content : []))[0];
    const input = JSON.stringify({ orderId: "A-2" });
    return {
      content: result
        ? [{ type: "text", text: result.output.value }]
        : [{ type: "tool-call", toolCallId: "c", toolName: "refund", input }],
      finishReason: { unified: result ? "stop" : "tool-calls", raw: undefined },
      usage,
      warnings: [],
    };
  },
});
const refunds = [];
const functions = [...countersign.functions, ...functionsOf(inngest, countersign, model, refunds)];
await engine.registerApp({ handler: serve({ client: inngest, functions }) });
await engine.start();
const ids = (await inngest.send([{ name: "loop" }, { name: "agent" }])).ids;

/** Asks again until there is an answer. */
async function until(look) {
  for (let waits = 0; waits < 600; waits += 1) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("It did not happen within a minute");
}

const pending = await until(async () => {
  const found = await countersign.history.listPendingApprovals({ userId: "ada" });
  return found.length === 2 && found;
});
for (const { approvalId } of pending) {
  await countersign.history.resolvePendingApproval({
    approvalId,
    status: "approved",
    resolvedAt: new Date(),
    resolvedBy: "finn",
  });
}
const outputs = await Promise.all(
  ids.map((id) =>
    until(async () => {
      const response = await engine.fetch(`${engine.baseUrl}/v1/events/${id}/runs`);
      const { data } = await response.json();
      return data[0]?.status === "Completed" && data[0].output;
    }),
  ),
);
console.log(JSON.stringify({ outputs, refunds }));
await engine.stop();
await store.close();
