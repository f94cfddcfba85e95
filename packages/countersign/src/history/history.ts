import { AgentResult, type HistoryConfig, type State, type StateData } from "@inngest/agent-kit";
import { NonRetriableError } from "inngest";
import { z } from "zod";
import { currentRun } from "../agent-hook/inngest-run.js";
import { derivedId } from "../approval/digest.js";
import { crashPoint } from "../crash-point.js";
import type { Runtime } from "../runtime.js";
import { markLoaded } from "./order-conversation.js";
import {
  listPendingApprovals,
  type PendingApprovals,
  resolvePendingApproval,
  savePendingApproval,
} from "./pending-approvals.js";

const userBody = z.object({ id: z.string(), content: z.string() });

const resultBody = z.object({
  agentName: z.string(),
  output: z.array(z.custom<AgentResult["output"][number]>((value) => typeof value === "object")),
  toolCalls: z.array(z.custom<AgentResult["toolCalls"][number]>((value) => typeof value === "object")),
  createdAt: z.coerce.date(),
});

/** AgentKit's whole HistoryConfig, and the approvals of a thread beside it. */
export type CountersignHistory = Required<HistoryConfig<StateData>> & PendingApprovals;

/**
 * Threads, messages and results in Countersign's own database. AgentKit calls these outside of steps, so again on
 * every replay: each write has a key that the replay finds again, and `get` reads only what was there before this
 * run's own message.
 */
export function createHistory(runtime: Runtime): CountersignHistory {
  const { store } = runtime;
  // AgentKit gives a message a new random id on every replay; which turn of the run it is stays the same.
  const turns = turnCounter();
  const tenantOf = (context: { state: State<StateData>; network?: unknown }) =>
    runtime.subjectOfState(context.state).tenantId;
  return {
    async createThread(context) {
      const run = await currentRun();
      const { requester, tenantId } = runtime.subjectOfState(context.state);
      const id =
        context.state.threadId ??
        derivedId("thr", run ? `${run.runId}.${turns.next(run.execution, "thread")}` : crypto.randomUUID());
      const thread = await store.openThread({
        tenantId,
        id,
        ownerId: requester?.id ?? null,
        runId: run?.runId ?? null,
      });
      // Trying again would find the same owner.
      if (!thread) throw new NonRetriableError(`There is no thread "${id}" that this run may continue`);
      return { threadId: id };
    },

    async appendUserMessage({ threadId, userMessage, ...context }) {
      if (!threadId) return;
      const run = await currentRun();
      const { id, content } = userMessage;
      await store.appendEntries(tenantOf(context), threadId, [
        {
          runId: run?.runId ?? null,
          kind: "user",
          key: run ? `user:${run.runId}.${turns.next(run.execution, threadId)}` : `user:${id}`,
          bodyJson: JSON.stringify({ id, content }),
        },
      ]);
      if (run && runtime.supersede === "on-new-message") {
        // Once, when the message is new: a replay must not end what a still newer message has begun.
        await run.step.run(`countersign:supersede:${threadId}`, async () => {
          const wakeUps = await store.withdrawThread(tenantOf(context), threadId, run.runId);
          if (wakeUps.length > 0) crashPoint("after-superseding");
          await runtime.wake(wakeUps);
          return wakeUps.length;
        });
      }
    },

    async get({ threadId, ...context }) {
      if (!threadId) return [];
      const run = await currentRun();
      const before = run ? `user:${run.runId}.${turns.current(run.execution, threadId)}` : undefined;
      const entries = await store.readEntries(tenantOf(context), threadId, before);
      return markLoaded(entries.map((entry) => resultFrom(entry.kind, entry.bodyJson)));
    },

    async appendResults({ threadId, newResults, ...context }) {
      if (!threadId) return;
      const run = await currentRun();
      const tenantId = tenantOf(context);
      await store.appendEntries(
        tenantId,
        threadId,
        newResults.map((result, index) => ({
          runId: run?.runId ?? null,
          kind: "result",
          key: run
            ? `result:${run.runId}.${turns.current(run.execution, threadId)}.${index}`
            : `result:${result.checksum}`,
          bodyJson: JSON.stringify(result.export()),
        })),
      );
      await store.endThread(tenantId, threadId, run?.runId ?? null);
    },

    savePendingApproval: (details) => savePendingApproval(runtime, details),
    resolvePendingApproval: (details) => resolvePendingApproval(runtime, details),
    listPendingApprovals: (filters) => listPendingApprovals(runtime, filters),
  };
}

function resultFrom(kind: "user" | "result", bodyJson: string): AgentResult {
  const body: unknown = JSON.parse(bodyJson);
  if (kind === "user") {
    const { content } = userBody.parse(body);
    return new AgentResult("user", [{ type: "text", role: "user", content }], [], new Date(0));
  }
  const result = resultBody.parse(body);
  return new AgentResult(result.agentName, result.output, result.toolCalls, result.createdAt);
}

/** Counts the turns of each thread within one execution of a run: a run may call a network more than once. */
function turnCounter() {
  const counts = new WeakMap<object, Map<string, number>>();
  const of = (execution: object) => {
    const known = counts.get(execution) ?? new Map<string, number>();
    counts.set(execution, known);
    return known;
  };
  return {
    next(execution: object, key: string): number {
      const turn = (of(execution).get(key) ?? -1) + 1;
      of(execution).set(key, turn);
      return turn;
    },
    current: (execution: object, key: string): number => of(execution).get(key) ?? 0,
  };
}
