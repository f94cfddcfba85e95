import { randomUUID } from "node:crypto";
import { isOver } from "@countersign/policy/internal/shared/approval-status";
import { crashPoints } from "@countersign/policy/internal/shared/crash-point";
import { didYouMean } from "@countersign/policy/internal/shared/did-you-mean";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { StateData } from "@inngest/agent-kit";
import type { AuditEntry } from "countersign";
import type { ThreadMessage, ThreadView } from "countersign/types";
import {
  invalidOption,
  type Message,
  messageEvent,
  requireFittingOptions,
  talkFunction,
  tenantOf,
} from "./app.js";
import { createCalls, isSettled } from "./calls.js";
import { transcriptProblems } from "./check-transcripts.js";
import { openInstallation } from "./installation.js";
import type { CallFilter, SayOptions, TestHarnessOptions } from "./options.js";
import { createPeople } from "./people.js";
import { refusedCalls } from "./refused-calls.js";
import { createRuns } from "./runs.js";
import { type AtLeast, describeRun, hasEnded, type StartedRun, type StartedTurn } from "./started-run.js";
import type { TestHarness } from "./test-harness.js";
import { createUntil } from "./until.js";
import { untilCallsWait, waitingCalls } from "./waiting-calls.js";

/**
 * Runs your policy with your tools, network or functions in a whole installation: the real hooks, orchestrator and
 * relay, a local engine, an embedded Postgres, and a scripted model that refuses what providers refuse. The test moves
 * the time, and nothing sleeps.
 *
 * @throws CountersignError `invalid_option`, naming the option.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import { ask, definePolicy } from "countersign";
 * import { createTestHarness } from "@countersign/testing";
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
 *   const turn = await desk.say("Refund my order");
 *   const [call] = await turn.pending();
 *   await desk.decide(call, { by: "ada", type: "approve" });
 *   await turn.ended();
 *   return refunded.length === 1;
 * }
 * ```
 */
export async function createTestHarness<S extends StateData = StateData>(
  options: TestHarnessOptions<S>,
): Promise<TestHarness<S>> {
  requireFittingOptions(options);
  const until = createUntil(options.patience);
  const messages = new Map<string, Message<S>>();
  const installation = await openInstallation(options, messages);
  const { appId, clock, store, model, engine, inApp } = installation;

  const tenantId = tenantOf(options);
  const people = createPeople({
    tenantId,
    people: options.people,
    decide: (decision) => inApp(({ countersign }) => countersign.decide(decision)),
    undo: (request) => inApp(({ countersign }) => countersign.undo(request)),
    waiting: () => waitingCalls(store, {}),
  });

  const runs = createRuns({ engine, appId, until, refusedDecisions: people.refusedDecisions });

  const pendingIn =
    (filter: CallFilter, runId?: string): StartedRun["pending"] =>
    async <N extends number = 1>(count?: N) => {
      const over = async () => {
        const run = runId === undefined ? undefined : await runs.view(runId);
        return run && hasEnded(run) ? describeRun(run) : undefined;
      };
      const { threadId } = filter;
      const refused = async () => (threadId === undefined ? [] : refusedCalls(await messagesOf(threadId)));
      return (await untilCallsWait(store, filter, { count: count ?? 1, until, over, refused })) as AtLeast<N>;
    };

  async function say(text: string, given: string | SayOptions<S> = {}): Promise<StartedTurn<S>> {
    if (!options.network && !options.tools && !options.agent) {
      throw invalidOption("say", "requires `tools` or a `network`; use `send` to start your own functions");
    }
    const asked = typeof given === "string" ? { threadId: given } : given;
    if (options.context && (asked.requester || asked.tenantId !== undefined)) {
      throw invalidOption(
        "requester and tenantId",
        "are provided by `context`; pass the state it reads to `say`",
      );
    }
    const message: Message<S> = { ...asked, text, threadId: asked.threadId ?? `thr_${randomUUID()}` };
    const { threadId } = message;
    const context = installation.app.contextOf(message);
    const tenant = context.tenantId ?? tenantId;
    const ownerId = context.requester?.id ?? null;
    if (!(await store.openThread({ tenantId: tenant, id: threadId, ownerId, runId: null }))) {
      throw new CountersignError("thread_not_found", `The thread "${threadId}" belongs to someone else`);
    }
    const id = randomUUID();
    messages.set(id, message);
    threads.set(threadId, { tenantId: tenant, ownerId });
    const { ids } = await installation.app.inngest.send({ name: messageEvent, data: { id } });
    const runId = await runs.started(ids[0], talkFunction);
    return {
      runId,
      threadId,
      pending: pendingIn({ tenantId: tenant, threadId }, runId),
      ended: () => runs.ended(runId) as Promise<S>,
      say: (next, changes) => say(next, { ...asked, ...changes, threadId }),
      messages: () => messagesOf(threadId),
    };
  }

  const threads = new Map<string, { tenantId: string; ownerId: string | null }>();
  async function messagesOf(threadId: string): Promise<ThreadMessage[]> {
    const thread = threads.get(threadId);
    const reader = { id: thread?.ownerId ?? "", tenantId: thread?.tenantId ?? tenantId, roles: [] };
    const pages: ThreadMessage[][] = [];
    for (let cursor: ThreadView["nextCursor"] | undefined; cursor !== null; ) {
      const page = await installation.app.countersign.threads.read(threadId, reader, {
        seesEverything: true,
        limit: 200,
        cursor,
      });
      pages.unshift(page.messages);
      cursor = page.nextCursor;
    }
    return pages.flat();
  }

  const { callNow, callUntil } = createCalls(store, until);

  return {
    get countersign() {
      return installation.app.countersign;
    },
    model,
    say,
    async send(event, functionId) {
      const { ids } = await installation.app.inngest.send({ name: event.name, data: event.data ?? {} });
      const runId = await runs.started(ids[0], functionId);
      return { runId, pending: pendingIn({ runId }, runId), ended: () => runs.ended(runId) };
    },
    pending: (count, filter = {}) => pendingIn(filter)(count),
    decide: people.decide,
    race: (approval, choices) => Promise.all(choices.map((choice) => people.decide(approval, choice))),
    answerAll: (answer) => people.answerAll(answer),
    async undo(approval, choice = {}) {
      const asked = await people.undo(approval, choice);
      return asked.ok ? { ok: true, approval: await callUntil(asked.approval, isSettled) } : asked;
    },
    over: (call) => callUntil(call, isOver),
    approval: callNow,
    advance: (duration) => clock.advance(duration),
    ended: runs.ended,
    messages: messagesOf,
    async audit(of = { tenantId }) {
      if ("digest" in of) return store.auditTrail(of.tenantId, of.id);
      const entries: AuditEntry[] = [];
      for (;;) {
        const page = await store.listAudit({ tenantId: of.tenantId, after: entries.at(-1)?.position ?? 0 });
        if (page.length === 0) return entries;
        entries.push(...page);
      }
    },
    crashAt(point) {
      if (!crashPoints.includes(point)) {
        throw invalidOption("crashAt", `there is no point "${point}"${didYouMean(point, crashPoints)}`);
      }
      return installation.crashAt(point);
    },
    dropWakeUps: (count = 1) => installation.dropWakeUps(count),
    async assertValidTranscripts() {
      const kept = await Promise.all(
        [...threads.keys()].map(async (threadId) => ({ threadId, messages: await messagesOf(threadId) })),
      );
      const problems = transcriptProblems(model.requests, kept);
      if (problems.length > 0) throw new Error(`Invalid transcripts:\n${problems.join("\n")}`);
    },
    unstable: { engine, clock, redeploy: installation.redeploy },
    async [Symbol.asyncDispose]() {
      await people.stop();
      await installation.close();
    },
  };
}
