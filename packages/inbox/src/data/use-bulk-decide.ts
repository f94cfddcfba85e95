import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, type Problem } from "../api/api-error.js";
import type { Approval } from "../api/approval.js";
import type { InboxApi } from "../api/create-api.js";
import { errorWords } from "../api/error-words.js";
import { statusWords } from "../logic/past-words.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";
import { putApproval } from "./use-approval.js";

export interface BulkDecision {
  type: "approve" | "deny";
  items: readonly Approval[];
  reason: string;
}

type Result = { id: string; ok: true; approval: Approval } | { id: string; ok: false; problem: Problem };

export type BulkOutcome = { ok: boolean; words: string };

/** Decides several at once; each has an outcome of its own. */
export function useBulkDecide() {
  const { api } = useInbox();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (decision: BulkDecision) => {
      const results = await decideAll(api, decision);
      const outcomes = new Map<string, BulkOutcome>();
      for (const result of results) {
        if (result.ok) putApproval(client, result.approval);
        outcomes.set(result.id, outcomeOf(result));
      }
      return outcomes;
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.waiting });
      void client.invalidateQueries({ queryKey: keys.allHistory });
    },
  });
}

async function decideAll(api: InboxApi, { type, items, reason }: BulkDecision): Promise<Result[]> {
  const words = type === "deny" && reason ? { reason } : {};
  try {
    const body = { items: items.map(({ id, digest }) => ({ id, digest, type, ...words })) };
    const { results } = await api.send<{ results: Result[] }>("POST", "/decisions", body, {
      idempotencyKey: crypto.randomUUID(),
    });
    return results;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    // An API that decides only one by one.
    return Promise.all(items.map((item) => decideOne(api, item, { type, ...words })));
  }
}

async function decideOne(api: InboxApi, { id, digest }: Approval, body: object): Promise<Result> {
  try {
    const path = `/approvals/${encodeURIComponent(id)}/decision`;
    return { id, ok: true, approval: await api.send<Approval>("POST", path, { ...body, digest }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { id, ok: false, problem: error.problem };
  }
}

function outcomeOf(result: Result): BulkOutcome {
  if (!result.ok)
    return { ok: false, words: errorWords(new ApiError(result.problem.status, result.problem)).title };
  const { status, votes } = result.approval;
  const words =
    status === "pending" && votes ? "Your vote counts; others are needed" : `Now ${statusWords[status]}`;
  return { ok: true, words };
}
