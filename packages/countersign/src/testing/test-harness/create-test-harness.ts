import { createAgent, createNetwork, createState, type StateData, type Tool } from "@inngest/agent-kit";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import type { Approval } from "../../approval/approval.js";
import { type Countersign, type CountersignOptions, createCountersign } from "../../create-countersign.js";
import type { ThreadMessage } from "../../history/threads.js";
import type { Policy } from "../../policy/policy.js";
import type { Principal } from "../../principal.js";
import type { Conversation, ModelFormat, Reply, ScriptedModel } from "../scripted-model/index.js";
import { scriptedModel } from "../scripted-model/index.js";
import { scriptedModelOf } from "./model-of-format.js";
import { type Choice, createPeople, type Outcome } from "./people.js";
import { until } from "./until.js";

export type { Choice, Outcome } from "./people.js";

export interface TestHarnessOptions {
  /** What is tested: your own policy, in code or opened from its file. */
  policy: Policy;
  /** Your agent's tools; their handlers run. */
  tools: Tool.Any[];
  /** What the model answers to a conversation. A transcript that a provider would refuse fails the run. */
  reply: (conversation: Conversation) => Reply | Promise<Reply>;
  /** Whose wire format the model speaks; `"openai"` where left out. */
  format?: ModelFormat;
  /**
   * Who decides, by a name of your own. Left out: `approver`, who has every role that the policy's rules ask for.
   */
  people?: Record<string, Omit<Principal, "tenantId">>;
  /** Who talks to the agent; `"requester"` without roles where left out. */
  requester?: { id: string; roles?: readonly string[] };
  /** Further options of the instance. */
  countersign?: Partial<Omit<CountersignOptions, "inngest" | "store" | "policy" | "tenantId" | "context">>;
  /** The agent itself, where more than its tools matters. */
  agent?: Partial<Parameters<typeof createAgent<StateData>>[0]>;
}

/** A whole installation in this process, and hands to work it with. */
export interface TestHarness extends AsyncDisposable {
  readonly countersign: Countersign;
  /** What the model was asked, as it was asked. */
  readonly model: Pick<ScriptedModel, "requests">;
  /** Says something to the agent, in a new thread or one that you name; resolves once its run has begun. */
  say(message: string, threadId?: string): Promise<{ runId: string; threadId: string }>;
  /** The calls that wait, once there are so many (one, where left out). */
  pending(count?: number): Promise<Approval[]>;
  /** One person's decision about a call as it was shown to them. */
  decide(approval: Approval, choice: Choice): Promise<Outcome>;
  /** Several people's decisions about one call, all at the same moment; the outcomes stand in the same order. */
  race(approval: Approval, choices: readonly Choice[]): Promise<Outcome[]>;
  /** From here on a person answers whatever comes up; `undefined` leaves it waiting. Returns how to stop. */
  answerAll(answer: (approval: Approval) => Choice | undefined): () => Promise<void>;
  /** The call as it is now. */
  approval(id: string): Promise<Approval>;
  /** Moves the time forward, by milliseconds or a duration such as `"30m"`; what became due happens. */
  advance(duration: string | number): Promise<void>;
  /** What the run returned, once it has ended; throws where it failed. */
  ended(runId: string): Promise<unknown>;
  /** The conversation as it was kept. */
  messages(threadId: string): Promise<ThreadMessage[]>;
}

const tenantId = "test";
const message = "countersign-test/message";

/**
 * Puts your policy and tools into a whole installation: the real hook, orchestrator and relay, a local engine, an embedded
 * Postgres, and a scripted model that refuses what providers refuse. Time is yours to move; nothing sleeps.
 *
 * Needs the packages `@countersign/local-engine` and `@electric-sql/pglite`.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import { ask, definePolicy } from "countersign";
 * import { createTestHarness } from "countersign/testing";
 * import { z } from "zod";
 *
 * export async function aRefundWaitsForFinance(): Promise<boolean> {
 *   const refunded: number[] = [];
 *   await using desk = await createTestHarness({
 *     policy: definePolicy({ tools: { refund: ask({ approvers: { roles: ["finance"] } }) } }),
 *     people: { ada: { id: "ada", roles: ["finance"] } },
 *     tools: [
 *       createTool({
 *         name: "refund",
 *         parameters: z.object({ amount: z.number() }),
 *         handler: ({ amount }) => refunded.push(amount),
 *       }),
 *     ],
 *     reply: ({ messages }) =>
 *       messages.at(-1)?.role === "user"
 *         ? { toolCalls: [{ name: "refund", input: { amount: 80 } }] }
 *         : { text: "Done." },
 *   });
 *   const { runId } = await desk.say("Refund my order");
 *   const [call] = await desk.pending();
 *   if (!call) return false;
 *   await desk.decide(call, { by: "ada", type: "approve" });
 *   await desk.ended(runId);
 *   return refunded.length === 1;
 * }
 * ```
 */
export async function createTestHarness(options: TestHarnessOptions): Promise<TestHarness> {
  // Loaded here, since who only wants the scripted model needs neither.
  const { createLocalEngine, createTestClock } = await import("@countersign/local-engine");
  const { pgliteStore } = await import("../../pglite.js");
  const { PGlite } = await import("@electric-sql/pglite");
  const clock = createTestClock();
  const pglite = await PGlite.create("memory://");
  const store = pgliteStore({ client: pglite, clockOffset: () => clock.now() - Date.now() });
  await store.migrate();
  const model = scriptedModel({ reply: options.reply });
  const engine = await createLocalEngine({
    database: { pglite },
    clock,
    logger: quiet,
    modelFetch: (input, init) => model.fetch(new Request(input, init)),
  });
  const inngest = new Inngest({
    id: "countersign-test",
    isDev: true,
    baseUrl: engine.baseUrl,
    fetch: engine.fetch,
    logger: { ...quiet, info: () => {}, debug: () => {} },
  });
  const requester = { roles: [], ...(options.requester ?? { id: "requester" }) };
  const countersign = createCountersign({
    ...options.countersign,
    inngest,
    store,
    policy: options.policy,
    tenantId,
    context: () => ({ requester }),
  });
  const talk = inngest.createFunction(
    { id: "agent", retries: 0, triggers: [{ event: message }] },
    async ({ event }) => {
      const said = event.data as { text: string; threadId: string };
      const agent = createAgent<StateData>({
        name: "agent",
        system: "You are being tested.",
        tools: options.tools,
        model: scriptedModelOf(options.format ?? "openai"),
        ...options.agent,
      });
      const network = createNetwork<StateData>({
        name: "test",
        agents: [agent],
        maxIter: 20,
        history: countersign.history,
        router: ({ lastResult, callCount }) => (callCount === 0 || hasCalls(lastResult) ? agent : undefined),
      });
      await countersign
        .guard(network)
        .run(said.text, { state: createState<StateData>({}, { threadId: said.threadId }) });
      return "done";
    },
  );
  await engine.start();
  await engine.registerApp({
    handler: serve({ client: inngest, functions: [...countersign.functions, talk] }),
  });

  const people = createPeople(countersign, { tenantId, people: options.people });
  const owner: Principal = { id: requester.id, tenantId, roles: [...requester.roles] };

  return {
    countersign,
    model,
    async say(text, existing) {
      const { threadId } = await countersign.threads.open({
        owner,
        ...(existing === undefined ? {} : { threadId: existing }),
      });
      const { ids } = await inngest.send({ name: message, data: { text, threadId } });
      const runId = await until("the agent's run begins", async () => {
        const response = await engine.fetch(`${engine.baseUrl}/v1/events/${ids[0]}/runs`);
        const { data } = (await response.json()) as { data: { run_id: string }[] };
        return data[0]?.run_id;
      });
      return { runId, threadId };
    },
    pending: (count = 1) =>
      until(`${count} calls wait for a person`, async () => {
        const waiting = await store.listApprovals({ tenantId, statuses: ["pending"], limit: 1000 });
        return waiting.length === count ? waiting : undefined;
      }),
    decide: people.decide,
    race: (approval, choices) => Promise.all(choices.map((choice) => people.decide(approval, choice))),
    answerAll: (answer) => people.answerAll(answer),
    async approval(id) {
      const approval = await store.getApproval(tenantId, id);
      if (!approval) throw new Error(`There is no approval "${id}"`);
      return approval;
    },
    advance: (duration) => clock.advance(duration),
    ended: (runId) =>
      until("the run ends", async () => {
        const response = await engine.fetch(`${engine.baseUrl}/v1/runs/${runId}`);
        const { data } = (await response.json()) as { data: { status: string; output: unknown } };
        if (data.status === "Running" || data.status === "Queued") return undefined;
        if (data.status === "Completed") return { output: data.output };
        throw new Error(`The run ended as ${data.status}: ${JSON.stringify(data.output)}`);
      }).then(({ output }) => output),
    messages: async (threadId) => (await countersign.threads.read(threadId, owner)).messages,
    async [Symbol.asyncDispose]() {
      await people.stop();
      await engine.stop();
      await store.close();
      await pglite.close();
    },
  };
}

const quiet = { warn: () => {}, error: () => {} };

function hasCalls(result: { output: { type: string }[] } | undefined): boolean {
  return result?.output.some(({ type }) => type === "tool_call") ?? false;
}
