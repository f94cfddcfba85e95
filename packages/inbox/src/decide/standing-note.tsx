import { useRef } from "react";
import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { useMe } from "../data/use-me.js";
import { useOnline } from "../data/use-online.js";
import { changesBetween } from "../logic/changes.js";
import { expiredWords, pastWords } from "../logic/past-words.js";
import { quorumWords } from "../logic/quorum-words.js";
import { NextButton } from "./next-button.js";

interface StandingNoteProps {
  approval: Approval;
  /** How the reader has voted, where several are asked. */
  voted: "approve" | "deny" | undefined;
}

/** Why nothing can be decided here (any more), and what became of it: above the place where the buttons were. */
export function StandingNote({ approval, voted }: StandingNoteProps) {
  const me = useMe().data?.principal?.id;
  const online = useOnline();
  const openedWith = useRef(approval.status);
  const { status, decision, mayDecide } = approval;
  if (status === "pending") {
    if (!online) {
      return (
        <Banner tone="warning" icon="offline" title="The server cannot be reached" urgent>
          What you typed is kept. You can decide as soon as it answers again.
        </Banner>
      );
    }
    if (voted) {
      return (
        <Banner
          tone="success"
          icon="check"
          title={voted === "approve" ? "You approved this" : "You voted to deny this"}
        >
          {quorumWords(approval, me)}
        </Banner>
      );
    }
    if (mayDecide === false) {
      const own = me !== undefined && approval.requesterId === me;
      return (
        <Banner tone="info" icon="person" title={own ? "You asked for this" : "Somebody else decides this"}>
          {own ? "You see here what becomes of it." : "You may read it, but its rule names other people."}
        </Banner>
      );
    }
    if (approval.yourDecisions && !approval.yourDecisions.some((type) => type !== "deny")) {
      return (
        <Banner tone="info" icon="person" title="You asked for this yourself">
          Its rule wants somebody else to approve it. You may deny it.
        </Banner>
      );
    }
    return null;
  }
  const changes = changesBetween(approval.input, approval.editedInput).length;
  const words = pastWords(approval, changes, me);
  const mine = me !== undefined && decision?.decidedBy === me;
  const surprise = openedWith.current === "pending" && !mine;
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return (
    <Banner
      tone={toneOf(status)}
      icon={status === "executed" || status === "approved" ? "check" : "info"}
      title={surprise ? surpriseTitle(approval) : title}
      urgent={surprise}
      actions={<NextButton afterId={approval.id} />}
    >
      {status === "expired" ? expiredWords(approval) : surprise && decision ? title : undefined}
    </Banner>
  );
}

function surpriseTitle({ status, decision }: Approval): string {
  if (status === "expired") return "It expired while you were reading";
  if (status === "withdrawn") return "It was withdrawn while you were reading";
  return decision?.decidedBy ? `Already decided by ${decision.decidedBy}` : "Already decided";
}

function toneOf(status: Approval["status"]): "info" | "success" | "warning" | "danger" {
  if (status === "executed") return "success";
  if (status === "failed" || status === "interrupted") return "danger";
  return status === "expired" || status === "withdrawn" ? "warning" : "info";
}
