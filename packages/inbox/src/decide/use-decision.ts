import { useState } from "react";
import type { Approval } from "../api/approval.js";
import { type DecisionBody, useDecide } from "../data/use-decide.js";
import { useDraft } from "../data/use-draft.js";
import { useMe } from "../data/use-me.js";
import { useOnline } from "../data/use-online.js";
import { hasVoted } from "../logic/quorum-words.js";
import { isQuestion } from "../logic/sentence.js";
import type { Editing } from "./use-editing.js";

export type Panel = "none" | "approve" | "deny" | "answer" | "grant";

/** What can be done about an approval now, and what is being done. */
export function useDecision(approval: Approval, editing: Editing) {
  const [panel, setPanel] = useState<Panel>("none");
  const [draft, changeDraft, dropDraft] = useDraft(approval.id);
  const send = useDecide(approval.id);
  const online = useOnline();
  const me = useMe().data?.principal?.id;
  const { status, digest } = approval;
  const decisions = approval.yourDecisions ?? approval.decisions;
  const voted = hasVoted(approval, me);
  const open = status === "pending" && approval.mayDecide !== false;
  const can = {
    approve: open && voted !== "approve" && decisions.includes("approve"),
    deny: open && voted !== "deny" && decisions.includes("deny") && !isQuestion(approval),
    answer: open && decisions.includes("respond"),
    decline: open && isQuestion(approval),
  };
  const broken = Object.keys(editing.problems).length > 0;
  const blocked = !online
    ? "The server cannot be reached; nothing can be decided until it can"
    : send.isPending
      ? "Your decision is on its way"
      : undefined;
  const blockedApproval =
    blocked ??
    (broken ? "Mend what is marked first" : editing.checking ? "Your changes are being checked" : undefined);
  const decide = async (body: Omit<DecisionBody, "digest">) => {
    if (blocked) return;
    // The failure is shown from the mutation's state.
    const decided = await send.mutateAsync({ ...body, digest }).catch(() => undefined);
    if (!decided) return;
    setPanel("none");
    dropDraft();
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
    error: send.error,
    sending: send.isPending,
    retry: () => send.variables && void decide(send.variables),
    approve: (grant?: unknown) => {
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
