import { createTool } from "@inngest/agent-kit";
import { generateText, stepCountIs, tool } from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { ask, definePolicy, durable, gateTool, idempotent, withPreview } from "countersign";
import { durableModel, guardTools } from "countersign/ai-sdk";
import type { PreviewContext } from "countersign/types";
import { z } from "zod";
import type { TestDatabase } from "./databases.js";
import { inTurns } from "./desk-tools.js";
import { openHarness } from "./harness.js";
import type { HarnessOptions } from "./harness-options.js";

export const refundInput = { orderId: "A-1001", amount: 80 };

const parameters = z.object({ orderId: z.string(), amount: z.number() });
type Input = z.infer<typeof parameters>;

/** A shop whose refunds say what they would change. `say` replaces what they say. */
export function rehearsedShop() {
  const orders = new Map([
    ["A-1001", { status: "paid", version: 1 }],
    ["A-1002", { status: "paid", version: 1 }],
  ]);
  const ran: Input[] = [];
  const rehearsed: { input: Input; context: PreviewContext }[] = [];
  const shop = {
    ...{ orders, ran, rehearsed },
    say: undefined as ((input: Input, context: PreviewContext) => unknown) | undefined,
    async preview(input: Input, context: PreviewContext) {
      rehearsed.push({ input, context });
      if (shop.say) return shop.say(input, context) as never;
      const { status = "unknown", version = 0 } = orders.get(input.orderId) ?? {};
      return {
        effects: [{ target: `order ${input.orderId}`, before: status, after: `refunded ${input.amount}` }],
        state: { version },
        reversible: false,
      };
    },
    refund(input: Input) {
      ran.push(input);
      orders.set(input.orderId, { status: "refunded", version: 2 });
      return `refunded ${input.amount}`;
    },
    moments: () => rehearsed.map(({ context }) => context.moment),
  };
  return shop;
}

export type RehearsedShop = ReturnType<typeof rehearsedShop>;

/** A person approves each refund, and may change its amount. */
export const confirmRefunds = definePolicy({
  tools: { refund: ask({ editable: ["amount"] }) },
  profiles: { script: { tools: {} } },
});

type Opening = Partial<HarnessOptions> & { database: TestDatabase };

const createRefund = (shop: RehearsedShop, handler: (input: Input, options: object) => unknown) =>
  withPreview(createTool({ name: "refund", parameters, handler }), shop.preview);

function agentKit(kind: "once" | "durable" | "idempotent") {
  return (shop: RehearsedShop, options: Opening, input: object = refundInput) => {
    const isDurable = kind === "durable";
    const refund = createRefund(
      shop,
      (given, { step }: { step?: { run(id: string, work: () => unknown): unknown } }) =>
        isDurable ? step?.run("refund", () => shop.refund(given)) : shop.refund(given),
    );
    const tools = [isDurable ? durable(refund) : kind === "idempotent" ? idempotent(refund) : refund];
    const reply = inTurns({ toolCalls: [{ name: "refund", input }] });
    return openHarness({ ...{ tools, policy: confirmRefunds, reply }, ...options });
  };
}

/** An installation whose agent refunds one order, by each way in. */
export const waysIn = {
  "a plain tool of AgentKit": agentKit("once"),
  "a durable tool of AgentKit": agentKit("durable"),
  "an idempotent tool of AgentKit": agentKit("idempotent"),
  "a loop of one's own": (shop, options, input = refundInput) => {
    const refund = gateTool({
      ...{ name: "refund", inputSchema: parameters },
      ...{ execute: (given: Input) => shop.refund(given), preview: shop.preview },
    });
    return openHarness({
      ...{ tools: [], policy: confirmRefunds, reply: () => ({ text: "unused" }), ...options },
      run: async ({ countersign, step, state }) => {
        const context = { requester: { id: "requester" }, threadId: String(state.threadId) };
        return countersign.gate({ step, context }).calls([refund], [{ id: "one", name: "refund", input }]);
      },
    });
  },
  "an agent of the AI SDK": (shop, options, input = refundInput) => {
    const refund = withPreview(
      tool({ inputSchema: parameters, execute: async (given: Input) => shop.refund(given) }),
      shop.preview,
    );
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined },
    };
    const model = new MockLanguageModelV3({
      async doGenerate({ prompt }) {
        const [read] = prompt.flatMap(({ role, content }) =>
          role === "tool" ? [JSON.stringify(content)] : [],
        );
        return read === undefined
          ? {
              content: [
                { type: "tool-call", toolCallId: "one", toolName: "refund", input: JSON.stringify(input) },
              ],
              ...{ finishReason: { unified: "tool-calls", raw: undefined }, usage, warnings: [] },
            }
          : {
              content: [{ type: "text", text: read }],
              ...{ finishReason: { unified: "stop", raw: undefined }, usage, warnings: [] },
            };
      },
    });
    return openHarness({
      ...{ tools: [], policy: confirmRefunds, reply: () => ({ text: "unused" }), ...options },
      run: async ({ countersign, step, state }) => {
        const context = { requester: { id: "requester" }, threadId: String(state.threadId) };
        const gate = countersign.gate({ step, context });
        const { text } = await generateText({
          model: durableModel(model, step),
          tools: guardTools({ refund }, gate),
          ...{ prompt: "go", stopWhen: stepCountIs(3) },
        });
        return text;
      },
    });
  },
  "a plain function": (shop, options) =>
    openHarness({
      ...{ tools: [], policy: confirmRefunds, reply: () => ({ text: "unused" }), ...options },
      run: async ({ countersign, state }) => {
        const refund = withPreview(async (given: Input) => shop.refund(given), shop.preview);
        const gated = countersign.applyProfile(
          { refund },
          { profile: "script", requester: { id: "requester" }, threadId: String(state.threadId) },
        );
        return gated.refund(refundInput).catch(({ message }: Error) => message);
      },
    }),
  "a plain step that asks": (shop, options) =>
    openHarness({
      ...{ tools: [], policy: confirmRefunds, reply: () => ({ text: "unused" }), ...options },
      run: async ({ countersign, step, state }) => {
        const answer = await countersign.requireApproval(step, {
          ...{ action: "refund", details: refundInput, requester: { id: "requester" } },
          threadId: String(state.threadId),
          preview: (details, context) => shop.preview(parameters.parse(details), context),
        });
        return answer.approved ? step.run("refund", () => shop.refund(refundInput)) : answer.refusal;
      },
    }),
} satisfies Record<
  string,
  (shop: RehearsedShop, options: Opening, input?: object) => ReturnType<typeof openHarness>
>;

/** What the model reads as the result of the call: of AgentKit in its next request, otherwise in the run's output. */
export async function readByModel(harness: Awaited<ReturnType<typeof openHarness>>, runId: string) {
  const { output } = await harness.runStatus(runId);
  return JSON.stringify([harness.model.requests.at(-1)?.body, output]);
}
