import { useId, useMemo, useRef, useState } from "react";
import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { CountdownRing } from "../components/countdown-ring.js";
import { FilledText } from "../components/filled-text.js";
import { Heading } from "../components/heading.js";
import { RequestedValues } from "../components/requested-values.js";
import { RiskBadge } from "../components/risk-badge.js";
import { Sentence } from "../components/sentence.js";
import { ToolName } from "../components/tool-name.js";
import { UndoneBadge } from "../components/undone-badge.js";
import { useReview } from "../data/approvals/use-review.js";
import { useViewing } from "../data/approvals/use-viewing.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import AnswerPanel from "../decide/answer-panel.js";
import { DecisionBar } from "../decide/decision-bar.js";
import { useDecision } from "../decide/use-decision.js";
import { useEditing } from "../decide/use-editing.js";
import { focusUnreviewed } from "../detail/arguments/focus-unreviewed.js";
import { Aside } from "../detail/aside.js";
import { DecidingFacts } from "../detail/deciding-facts.js";
import { Facts } from "../detail/facts.js";
import { Outcome } from "../detail/outcome.js";
import { QuestionText } from "../detail/question-text.js";
import { Terms } from "../detail/terms.js";
import { Undoes } from "../detail/undoes.js";
import { Why } from "../detail/why.js";
import { useKeptFocus } from "../keyboard/use-kept-focus.js";
import { askerOf, isQuestion } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";

/** One approval with its arguments and its decision bar, for a page with several. */
export default function Card({ approval }: { approval: Approval }) {
  const card = useRef<HTMLElement>(null);
  const partlyHidden = approval.redacted.length > 0 || approval.redactedPatterns.length > 0;
  const edited = useEditing(approval);
  const editing = partlyHidden ? { ...edited, possible: false, on: false } : edited;
  const { basePath, holdMs = 0 } = useInbox().config;
  const decision = useDecision(approval, editing, { holdMs });
  const { can } = decision;
  const deciding = partlyHidden ? { ...decision, can: { ...can, approve: false } } : decision;
  const changed = useMemo(() => new Set(editing.changes.map(({ field }) => field.path)), [editing.changes]);
  const review = useReview(approval, changed, card);
  const [raw, setRaw] = useState(false);
  const headingId = useId();
  useViewing(approval);
  useKeptFocus(card, `${approval.status} ${deciding.voted ?? ""} ${deciding.panel}`);
  const { status, expiresAt, announcedAt, createdAt, requesterId } = approval;
  const question = isQuestion(approval);
  const texts = words.decide.card;
  const answering = deciding.can.answer && (approval.verdict === "manual" || deciding.panel === "answer");
  const showUnreviewed = () => {
    setRaw(false);
    deciding.setPanel("none");
    focusUnreviewed(approval.id);
    review.mark("unfolded", review.unreviewed.folds);
  };
  return (
    <article
      ref={card}
      className="cs-card"
      tabIndex={-1}
      aria-labelledby={headingId}
      data-approval={approval.id}
      data-status={status}
      data-ready={review.ready || undefined}
    >
      <div className="cs-card-body" tabIndex={-1}>
        <header className="cs-card-head">
          <Heading id={headingId}>
            {question ? texts.asks(askerOf(approval)) : <Sentence approval={approval} />}
          </Heading>
          <RequestedValues approval={approval} />
          <DecidingFacts approval={approval} />
          <div className="cs-detail-facts">
            {!question && <RiskBadge risk={approval.risk} />}
            <UndoneBadge approval={approval} />
            {status === "pending" && expiresAt && (
              <CountdownRing from={announcedAt ?? createdAt} until={expiresAt} />
            )}
            <span>
              {requesterId ? (
                <FilledText
                  text={approval.undoes === null ? texts.facts : texts.factsOfUndo}
                  parts={{ tool: <ToolName call={approval} />, requester: requesterId }}
                />
              ) : (
                <ToolName call={approval} />
              )}
            </span>
          </div>
          {!question && <Why approval={approval} />}
        </header>
        <Undoes approval={approval} />
        {question && <QuestionText approval={approval} />}
        {answering && <AnswerPanel approval={approval} deciding={deciding} />}
        <div className="cs-facts">
          <Facts
            approval={approval}
            editing={editing}
            review={review}
            approves={deciding.can.approve}
            raw={raw}
            onRaw={setRaw}
          />
          {status === "pending" && <Terms approval={approval} />}
        </div>
        {partlyHidden && can.approve && (
          <Banner
            tone="info"
            icon="eye"
            title={texts.hidden}
            actions={
              <a className="cs-button" data-tone="plain" href={`${basePath}/approvals/${approval.id}`}>
                {texts.openInInbox}
              </a>
            }
          >
            {texts.hiddenNote}
          </Banner>
        )}
        <Aside approval={approval} />
        <Outcome approval={approval} />
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
