import { AgentResult, type HistoryConfig, type State, type StateData } from "@inngest/agent-kit";
import { z } from "zod";
import { currentRun } from "../agent-hook/inngest-run.js";
import { derivedId } from "../approval/digest.js";
import { CountersignError } from "../errors.js";
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
  const tenantOf = (context: { state: State<StateData>; network?: unknown }) =>
    runtime.subjectOfState(context.state).tenantId;
  return {
    async createThread(context) {
      const run = await currentRun();
      const { requesterId, tenantId } = runtime.subjectOfState(context.state);
      const id = context.state.threadId ?? derivedId("thr", run?.runId ?? crypto.randomUUID());
      const thread = await store.openThread({
        tenantId,
        id,
        ownerId: requesterId,
        runId: run?.runId ?? null,
      });
      if (!thread) throw threadNotFound(id);
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
          key: userKey(run?.runId, id),
          bodyJson: JSON.stringify({ id, content }),
        },
      ]);
    },

    async get({ threadId, ...context }) {
      if (!threadId) return [];
      const run = await currentRun();
      const before = run ? userKey(run.runId, "") : undefined;
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
          key: run ? `result:${run.runId}:${index}` : `result:${result.checksum}`,
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

/** One user message a run: AgentKit gives it a new random id on every replay, so the run's id has to do. */
function userKey(runId: string | undefined, messageId: string): string {
  return runId ? `user:${runId}` : `user:${messageId}`;
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

function threadNotFound(id: string): CountersignError {
  return new CountersignError("thread_not_found", `There is no thread "${id}" that you may continue`);
}
