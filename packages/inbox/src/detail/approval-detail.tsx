import { useMemo, useRef, useState } from "react";
import type { Approval } from "../api/approval.js";
import { CountdownRing } from "../components/countdown-ring.js";
import { Heading } from "../components/heading.js";
import { RequestedValues } from "../components/requested-values.js";
import { RiskBadge } from "../components/risk-badge.js";
import { Sentence } from "../components/sentence.js";
import { UndoneBadge } from "../components/undone-badge.js";
import { usePrintWithTrail } from "../data/approvals/use-audit.js";
import { useReview } from "../data/approvals/use-review.js";
import { useViewing } from "../data/approvals/use-viewing.js";
import { usePrinting } from "../data/browser/use-printing.js";
import { useTitle } from "../data/browser/use-title.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useOpenNext } from "../data/inbox/use-open-next.js";
import { DecisionBar } from "../decide/decision-bar.js";
import { useDecision } from "../decide/use-decision.js";
import { useDenyAddress } from "../decide/use-deny-address.js";
import { useEditing } from "../decide/use-editing.js";
import { focusNextRegion } from "../keyboard/regions.js";
import { useCommands } from "../keyboard/use-commands.js";
import { LazyBoundary } from "../lazy/lazy-boundary.js";
import { lazyPart } from "../lazy/lazy-part.js";
import { defaultHoldMs } from "../logic/decisions/hold.js";
import { isQuestion, sentenceOf } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";
import { focusUnreviewed } from "./arguments/focus-unreviewed.js";
import { Aside } from "./aside.js";
import { AuditTrail } from "./audit/audit-trail.js";
import { CallHistory } from "./call-history.js";
import { ConversationExcerpt } from "./conversation-excerpt.js";
import { DecidingFacts } from "./deciding-facts.js";
import { Facts } from "./facts.js";
import { Messages } from "./messages/messages.js";
import { Origin } from "./origin.js";
import { Outcome } from "./outcome.js";
import { Actions, People } from "./people/time-and-people.js";
import { QuestionHeading } from "./question-text.js";
import { Terms } from "./terms.js";
import { Undoes } from "./undoes.js";
import { useFocusedHeading } from "./use-focused-heading.js";
import { Why } from "./why.js";

const Interrupted = lazyPart(() => import("./interrupted.js"));
const AnswerPanel = lazyPart(() => import("../decide/answer-panel.js"));

/** One approval: the facts, the model's text in its own zone, and the decision bar. */
export function ApprovalDetail({ approval, autoFocus }: { approval: Approval; autoFocus: boolean }) {
  const article = useRef<HTMLElement>(null);
  const editing = useEditing(approval);
  const { holdMs = defaultHoldMs } = useInbox().config;
  const deciding = useDecision(approval, editing, { holdMs, onDecided: useOpenNext() });
  useDenyAddress(deciding.can.deny ? () => deciding.setPanel("deny") : undefined);
  const changed = useMemo(() => new Set(editing.changes.map(({ field }) => field.path)), [editing.changes]);
  const review = useReview(approval, changed, article);
  const [raw, setRaw] = useState(false);
  const [trail, setTrail] = useState(false);
  const printing = usePrinting();
  const print = usePrintWithTrail(approval.id);
  useCommands({ print: () => void print() });
  const answering = deciding.can.answer && (approval.verdict === "manual" || deciding.panel === "answer");
  const heading = useFocusedHeading(autoFocus);
  useTitle(autoFocus ? sentenceOf(approval) : undefined);
  useViewing(approval);
  const { status, expiresAt, announcedAt, createdAt } = approval;
  const pending = status === "pending";
  const question = isQuestion(approval);
  const { titles } = words.detail;
  const showUnreviewed = () => {
    setRaw(false);
    deciding.setPanel("none");
    focusUnreviewed(approval.id);
    review.mark("unfolded", review.unreviewed.folds);
  };
  return (
    <article
      ref={article}
      className="cs-detail"
      data-approval={approval.id}
      data-ready={review.ready || undefined}
    >
      <div className="cs-detail-body" tabIndex={-1}>
        <header className="cs-detail-head">
          {question ? (
            <QuestionHeading approval={approval} heading={heading} />
          ) : (
            <Heading ref={heading} className="cs-title" tabIndex={-1}>
              <Sentence approval={approval} />
            </Heading>
          )}
          <RequestedValues approval={approval} />
          <DecidingFacts approval={approval} />
          <div className="cs-detail-facts">
            {!question && <RiskBadge risk={approval.risk} />}
            <UndoneBadge approval={approval} />
            {pending && expiresAt && <CountdownRing from={announcedAt ?? createdAt} until={expiresAt} />}
            <People approval={approval} />
          </div>
          {!question && <Why approval={approval} />}
          {pending && (
            <button type="button" className="cs-skip" onClick={focusNextRegion}>
              {words.page.skipToDecision}
            </button>
          )}
        </header>
        <Undoes approval={approval} />
        {status === "interrupted" && (
          <LazyBoundary>
            <Interrupted approval={approval} />
          </LazyBoundary>
        )}
        {answering && (
          <section className="cs-answer-zone" aria-labelledby="answer">
            <Heading step={1} id="answer">
              {question ? titles.answer : titles.result}
            </Heading>
            <LazyBoundary fallback={<p className="cs-hint">{words.common.loading}</p>}>
              <AnswerPanel approval={approval} deciding={deciding} />
            </LazyBoundary>
          </section>
        )}
        <section className="cs-facts" aria-labelledby="facts">
          <Heading step={1} id="facts" className={question ? undefined : "cs-visually-hidden"}>
            {question
              ? titles.question
              : !pending
                ? titles.closed
                : approval.verdict === "manual"
                  ? titles.toDo
                  : titles.pending}
          </Heading>
          <Facts
            approval={approval}
            editing={editing}
            review={review}
            approves={deciding.can.approve}
            raw={raw}
            onRaw={setRaw}
          />
          <Terms approval={approval} />
          <p className="cs-origin">
            <Origin approval={approval} />
          </p>
          <CallHistory approval={approval} />
          <Actions approval={approval} />
        </section>
        <Aside approval={approval} />
        <Outcome approval={approval} />
        <ConversationExcerpt approval={approval} />
        <Messages approvalId={approval.id} />
        <details
          className="cs-trail"
          open={trail || printing}
          onToggle={(event) => {
            if (!printing) setTrail(event.currentTarget.open);
          }}
        >
          <summary>{titles.trail}</summary>
          {(trail || printing) && <AuditTrail approval={approval} />}
        </details>
      </div>
      <DecisionBar
        approval={approval}
        editing={editing}
        deciding={deciding}
        review={review}
        onShowUnreviewed={showUnreviewed}
      />
    </article>
  );
}
