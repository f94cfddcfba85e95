import { useState } from "react";
import type { Approval } from "../api/approval.js";
import { CountdownRing } from "../components/countdown-ring.js";
import { RiskBadge } from "../components/risk-badge.js";
import { SafeText } from "../components/safe-text.js";
import { useTitle } from "../data/use-title.js";
import { useViewing } from "../data/use-viewing.js";
import { DecisionBar } from "../decide/decision-bar.js";
import { useDecision } from "../decide/use-decision.js";
import { useEditing } from "../decide/use-editing.js";
import { Late } from "../late/late.js";
import { latePart } from "../late/late-part.js";
import { isQuestion, sentenceOf } from "../logic/sentence.js";
import { visibleText } from "../logic/visible-characters.js";
import { AgentWords } from "./agent-words.js";
import { Arguments } from "./arguments.js";
import { CodePreview } from "./code-preview.js";
import { Outcome } from "./outcome.js";
import { QuestionWords } from "./question-words.js";
import { Terms } from "./terms.js";
import { TimeAndPeople } from "./time-and-people.js";

const Interrupted = latePart(() => import("./interrupted.js"));
const AnswerPanel = latePart(() => import("../decide/answer-panel.js"));
const AuditTrail = latePart(() => import("./audit-trail.js"));

/** Everything about one approval: the facts, the model's words apart from them, and the decision at the foot. */
export function ApprovalDetail({ approval }: { approval: Approval }) {
  const editing = useEditing(approval);
  const deciding = useDecision(approval, editing);
  const [trail, setTrail] = useState(false);
  const answering = deciding.can.answer && (approval.verdict === "manual" || deciding.panel === "answer");
  useTitle(visibleText(sentenceOf(approval)));
  useViewing(approval);
  const { status, expiresAt, announcedAt, createdAt } = approval;
  const pending = status === "pending";
  const question = isQuestion(approval);
  return (
    <article className="cs-detail">
      <div className="cs-detail-body">
        <header className="cs-detail-head">
          <h1>{question ? "The agent asks a question" : <SafeText text={approval.summary} />}</h1>
          <div className="cs-detail-facts">
            <RiskBadge risk={approval.risk} />
            {pending && expiresAt && <CountdownRing from={announcedAt ?? createdAt} until={expiresAt} />}
            <span>
              <code>{approval.toolName}</code>
              {approval.agentName && <> by agent {approval.agentName}</>}
              {approval.requesterId && <>, asked for by {approval.requesterId}</>}
            </span>
          </div>
          <TimeAndPeople approval={approval} />
        </header>
        {status === "interrupted" && (
          <Late>
            <Interrupted approval={approval} />
          </Late>
        )}
        {question && <QuestionWords approval={approval} />}
        {answering && (
          <section className="cs-answer-zone" aria-labelledby="answer">
            <h2 id="answer">{question ? "Your answer" : "What you did"}</h2>
            <Late fallback={<p className="cs-hint">Loading the form</p>}>
              <AnswerPanel approval={approval} deciding={deciding} />
            </Late>
          </section>
        )}
        <section className="cs-facts" aria-labelledby="facts">
          <h2 id="facts">
            {question ? "About this question" : pending ? "What will happen" : "What was asked for"}
          </h2>
          {!question && <Arguments approval={approval} editing={editing} />}
          <CodePreview approval={approval} />
          <Terms approval={approval} />
        </section>
        <Outcome approval={approval} />
        <AgentWords approval={approval} />
        <details className="cs-trail" onToggle={(event) => setTrail(event.currentTarget.open)}>
          <summary>Trail</summary>
          {trail && (
            <Late fallback={<p className="cs-hint">Loading</p>}>
              <AuditTrail approvalId={approval.id} />
            </Late>
          )}
        </details>
      </div>
      <DecisionBar approval={approval} editing={editing} deciding={deciding} />
    </article>
  );
}
