import { useContext, useRef } from "react";
import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { Button } from "../components/button.js";
import { CallLink } from "../components/call-link.js";
import { ResultSentence } from "../components/sentence.js";
import { useWaitsFor } from "../data/approvals/use-waits-for.js";
import { useNow } from "../data/browser/use-now.js";
import { useOnline } from "../data/browser/use-online.js";
import { PlaceContext } from "../data/inbox/host.js";
import { useMe } from "../data/people/use-me.js";
import { changesBetween } from "../logic/arguments/argument-changes.js";
import { heldNote, heldTitle } from "../logic/wording/held-text.js";
import { expiredText, outcomeText } from "../logic/wording/outcome-text.js";
import { quorumText } from "../logic/wording/quorum-text.js";
import { words } from "../words/words.js";
import { NextButton } from "./next-button.js";
import { TakeBackButton } from "./take-back-button.js";
import type { Undoing } from "./use-undo.js";

interface DecisionStatusProps {
  approval: Approval;
  /** The reader's vote, if several people decide. */
  voted: "approve" | "deny" | undefined;
  undoing: Undoing;
  /** Opens the panel that asks for the undo. @default the reader cannot ask for it now */
  onUndo: (() => void) | undefined;
}

/** Why the reader cannot decide this approval, or what was decided. */
export function DecisionStatus({ approval, voted, undoing, onUndo }: DecisionStatusProps) {
  const me = useMe().data?.principal.id;
  const online = useOnline();
  const now = useNow();
  const inInbox = useContext(PlaceContext).of === "inbox";
  const openedWith = useRef(approval.status);
  const waitsFor = useWaitsFor(approval);
  const texts = words.decide.status;
  const { status, decision, mayDecide } = approval;
  if (status === "pending") {
    // Above the lists, the page says so itself.
    if (!online && !inInbox) {
      return (
        <Banner tone="warning" icon="offline" title={texts.offline} urgent>
          {texts.offlineNote}
        </Banner>
      );
    }
    if (approval.held) {
      const isOwn = approval.held.decidedBy === me;
      return (
        <Banner
          tone="success"
          icon="check"
          title={heldTitle(approval, me)}
          urgent={!isOwn}
          actions={isOwn && now < Date.parse(approval.held.until) && <TakeBackButton id={approval.id} />}
        >
          {heldNote(approval, me, now)}
        </Banner>
      );
    }
    if (voted) {
      return (
        <Banner
          tone="success"
          icon="check"
          title={voted === "approve" ? texts.votedToApprove : texts.votedToDeny}
          actions={<TakeBackButton id={approval.id} />}
        >
          {quorumText(approval, me)}
        </Banner>
      );
    }
    if (!mayDecide) {
      const asker = approval.undoRequest?.askedBy ?? approval.requesterId;
      const own = me !== undefined && asker === me;
      return (
        <Banner tone="info" icon="person" title={own ? texts.requested : texts.othersDecide}>
          {own ? texts.requestedNote : texts.othersDecideNote}
        </Banner>
      );
    }
    if (!approval.yourDecisions.some((type) => type !== "deny")) {
      return (
        <Banner tone="info" icon="person" title={texts.requestedYourself}>
          {texts.requestedYourselfNote}
        </Banner>
      );
    }
    return null;
  }
  const changes = changesBetween(approval.input, approval.editedInput).length;
  const text = outcomeText(approval, changes, me);
  const mine = me !== undefined && decision?.decidedBy === me;
  const changedWhileReading = openedWith.current === "pending" && !mine;
  const title = text.charAt(0).toUpperCase() + text.slice(1);
  const isUndone = undoing.phase === "undone";
  const detail =
    status === "expired"
      ? expiredText(approval)
      : [changedWhileReading && decision && title, waitsFor.length > 0 && texts.startsOnce(waitsFor.length)]
          .filter(Boolean)
          .join(". ");
  const [next] = waitsFor;
  return (
    <Banner
      tone={isUndone ? "info" : toneOf(status)}
      icon={isUndone ? "undo" : iconOf(status)}
      title={changedWhileReading ? changedTitle(approval) : title}
      urgent={changedWhileReading}
      actions={
        <>
          <UndoLink latest={undoing.latest} />
          {next && (
            <CallLink id={next.id} status={next.status}>
              {texts.viewNext}
            </CallLink>
          )}
          {onUndo && (
            <Button command="undo" onClick={onUndo}>
              {words.decide.undo.title}
            </Button>
          )}
          {inInbox && <NextButton afterId={approval.id} />}
        </>
      }
    >
      {approval.resultSummary !== null && (
        <span className="cs-result">
          <ResultSentence approval={approval} />
        </span>
      )}
      {[detail, undoing.note].filter(Boolean).join(detail.endsWith(".") ? " " : ". ")}
    </Banner>
  );
}

/** Leads to the latest undo of the call. */
function UndoLink({ latest }: Pick<Undoing, "latest">) {
  if (latest === undefined || latest === "hidden") return null;
  return (
    <CallLink id={latest.id} status={latest.status}>
      {words.decide.status.viewUndo}
    </CallLink>
  );
}

function changedTitle({ status, decision }: Approval): string {
  const texts = words.decide.status;
  if (status === "expired") return texts.expired;
  if (status === "withdrawn") return texts.withdrawn;
  return decision?.decidedBy ? texts.decidedBy(decision.decidedBy) : texts.decided;
}

function iconOf(status: Approval["status"]): "check" | "close" | "info" {
  if (status === "executed" || status === "approved") return "check";
  return status === "denied" ? "close" : "info";
}

function toneOf(status: Approval["status"]): "plain" | "info" | "success" | "warning" | "danger" {
  if (status === "executed") return "success";
  if (status === "denied") return "plain";
  if (status === "failed" || status === "interrupted") return "danger";
  return status === "expired" || status === "withdrawn" ? "warning" : "info";
}
