import { ApprovalsApiError } from "countersign/client";
import { useState } from "react";
import type { Approval, GrantSuggestion } from "../api/approval.js";
import { type DecisionBody, useDecide } from "../data/approvals/use-decide.js";
import { useDraft } from "../data/approvals/use-draft.js";
import { useOnline } from "../data/browser/use-online.js";
import { useMe } from "../data/people/use-me.js";
import { holdMsOf } from "../logic/decisions/hold.js";
import { hasVoted } from "../logic/wording/quorum-text.js";
import { isQuestion } from "../logic/wording/sentence.js";
import { stopTitle } from "../logic/wording/stop-text.js";
import { words } from "../words/words.js";
import type { Editing } from "./use-editing.js";

export type Panel = "none" | "approve" | "deny" | "decline" | "answer" | "grant" | "budget" | "undo";

/**
 * The decisions that the reader can make about an approval, and the one being sent.
 *
 * @param holdMs How long the reader may take a decision back, as far as the call's rules allow.
 * @param onDecided Called with the approval once the reader has decided it.
 */
export function useDecision(
  approval: Approval,
  editing: Editing,
  { holdMs, onDecided }: { holdMs: number; onDecided?: (approval: Approval) => void },
) {
  const [panel, setPanel] = useState<Panel>("none");
  const [draft, changeDraft, dropDraft] = useDraft(approval.id);
  const send = useDecide(approval.id);
  const online = useOnline();
  const { data: reader, dataUpdatedAt: signedInAt } = useMe();
  const me = reader?.principal.id;
  const { status, digest } = approval;
  const decisions = approval.yourDecisions ?? approval.decisions;
  const voted = hasVoted(approval, me);
  const open = status === "pending" && approval.mayDecide;
  const can = {
    approve: open && voted !== "approve" && decisions.includes("approve"),
    deny: open && voted !== "deny" && decisions.includes("deny") && !isQuestion(approval),
    answer: open && decisions.includes("respond"),
    decline: open && isQuestion(approval),
  };
  /** That the session had ended, which is over once somebody has signed in again. */
  const isOver =
    send.error instanceof ApprovalsApiError && send.error.status === 401 && signedInAt > send.submittedAt;
  const hasProblems = Object.keys(editing.problems).length > 0;
  const texts = words.decide.blocked;
  const blocked = !online ? texts.offline : send.isPending ? texts.sending : undefined;
  const blockedApproval =
    blocked ??
    (approval.stop ? stopTitle(approval.stop) : undefined) ??
    (hasProblems ? texts.problems : editing.checking ? texts.checking : undefined);
  const decide = async (body: Omit<DecisionBody, "digest">) => {
    if (blocked) return;
    // The mutation's state shows the error.
    const held = holdMsOf(approval, holdMs, body.grant !== undefined);
    const sent = { ...body, digest, ...(held !== undefined && { holdMs: held }) };
    const decided = await send.mutateAsync(sent).catch(() => undefined);
    if (!decided) return;
    setPanel("none");
    dropDraft();
    onDecided?.(decided);
  };
  return {
    panel,
    setPanel,
    draft,
    changeDraft,
    can,
    voted,
    blocked,
    blockedApproval,
    error: isOver ? null : send.error,
    sending: send.isPending,
    retry: () => send.variables && void decide(send.variables),
    approve: (grant?: GrantSuggestion["grant"]) => {
      if (blockedApproval) return;
      const edited = editing.changes.length > 0;
      void decide({
        type: edited ? "edit" : "approve",
        ...(edited && { input: editing.input }),
        ...(grant !== undefined && { grant }),
      });
    },
    deny: (reason: string) =>
      void decide({ type: "deny", ...(reason.trim() !== "" && { reason: reason.trim() }) }),
    answer: (response: unknown) => void decide({ type: "respond", response }),
  };
}

export type Deciding = ReturnType<typeof useDecision>;
