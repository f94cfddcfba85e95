import { MutationObserver, useIsMutating, useMutation, useQueryClient } from "@tanstack/react-query";
import { ApprovalsApiError, type BodyOf } from "countersign/client";
import { useState } from "react";
import type { Approval } from "../../api/approval.js";
import { defaultHoldMs, holdMsOf } from "../../logic/decisions/hold.js";
import type { EditedCall } from "../../logic/lists/batch-plan.js";
import { errorMessage } from "../../logic/wording/error-message.js";
import { words } from "../../words/words.js";
import { type Draft, useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";
import { decideMutation } from "./use-decide.js";

export interface BulkDecision {
  approve: readonly Approval[];
  /** Those that are approved with other arguments. */
  edit: readonly EditedCall[];
  deny: readonly Approval[];
  /** Why those are denied. */
  reason: string;
}

export type BulkOutcome = { ok: boolean; text: string };

const mutationKey = ["decide many"];

/** Whether decisions about several approvals are on their way, also those of a dialog that was closed meanwhile. */
export function useIsBulkDeciding(): boolean {
  return useIsMutating({ mutationKey }) > 0;
}

/**
 * Decides several approvals at once. Each has its own outcome, which is there as soon as it is known. What was typed for those
 * that are decided is dropped, except for what was typed while the decisions were on their way.
 */
export function useBulkDecide() {
  const inbox = useInbox();
  const { api, config, ownDecisions, drafts, selected } = inbox;
  const { holdMs = defaultHoldMs } = config;
  const client = useQueryClient();
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, BulkOutcome>>();
  const mutation = useMutation({
    mutationKey,
    mutationFn: async (decision: BulkDecision) => {
      const sent = drafts.get();
      const known = new Map<string, BulkOutcome>();
      const note = (id: string, outcome: BulkOutcome) => {
        known.set(id, outcome);
        setOutcomes(new Map(known));
      };
      const noteDecided = (approval: Approval, changes = 0) => {
        if (approval.held) ownDecisions.set((all) => [...all, approval]);
        note(approval.id, { ok: true, text: outcomeText(approval, changes) });
      };
      const body = bodyOf(decision, holdMs);
      const { results } = body.items.length > 0 ? await api.decideMany({ body }) : { results: [] };
      for (const result of results) {
        if (result.ok) {
          putApproval(client, result.approval);
          noteDecided(result.approval);
          inbox.onDecided(result.approval);
        } else note(result.id, failure(new ApprovalsApiError(result.problem)));
      }
      for (const { approval, input, changes } of decision.edit) {
        const { id, digest } = approval;
        const held = holdMsOf(approval, holdMs, false);
        try {
          // One by one, as the page of a call does: their arguments may be large.
          const send = new MutationObserver(client, decideMutation(inbox, client, id));
          noteDecided(
            await send.mutate({ type: "edit", digest, input, ...(held !== undefined && { holdMs: held }) }),
            changes,
          );
        } catch (error) {
          note(id, failure(error));
        }
      }
      const isSent = (id: string, draft: Draft) => known.get(id)?.ok && sent.get(id) === draft;
      drafts.set((all) => new Map([...all].filter(([id, draft]) => !isSent(id, draft))));
    },
    onSuccess: () => selected.set(new Set()),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.lists });
      void client.invalidateQueries({ queryKey: keys.allHistory });
    },
  });
  return { ...mutation, outcomes };
}

function bodyOf({ approve, deny, reason }: BulkDecision, wantedMs: number): BodyOf<"decideMany"> {
  const itemOf = (approval: Approval, type: "approve" | "deny") => {
    const { id, digest } = approval;
    const holdMs = holdMsOf(approval, wantedMs, false);
    const explanation = type === "deny" && reason ? { reason } : {};
    return { id, digest, type, ...explanation, ...(holdMs !== undefined && { holdMs }) };
  };
  return {
    items: [...approve.map((each) => itemOf(each, "approve")), ...deny.map((each) => itemOf(each, "deny"))],
  };
}

function failure(error: unknown): BulkOutcome {
  return { ok: false, text: errorMessage(error).title };
}

function outcomeText({ status, held }: Approval, changes: number): string {
  const { denied, approved, voted, now } = words.page.batchOutcome;
  if (held) return held.type === "deny" ? denied : approved(changes);
  return status === "pending" ? voted : now(words.decided.status[status], changes);
}
