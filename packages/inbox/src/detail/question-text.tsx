import { inQuotes, visibleLine } from "@countersign/policy/display";
import type { RefObject } from "react";
import type { Approval } from "../api/approval.js";
import { Heading } from "../components/heading.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { questionOf } from "../logic/questions/answer-form.js";
import { askerOf } from "../logic/wording/sentence.js";
import { Folded } from "../values/folded-text.js";
import { words } from "../words/words.js";
import { AddressToOpen } from "./address-to-open.js";
import { Part } from "./part.js";

/** The most characters of a question in the page's heading. */
const maxInHeading = 140;

/** The page's heading for a question: the question itself, in the zone of the model's text. A long one is also there in full. */
export function QuestionHeading({
  approval,
  heading,
}: {
  approval: Approval;
  heading: RefObject<HTMLHeadingElement | null>;
}) {
  const question = questionOf(approval.input, approval.mcpServer);
  const { shown, cut } = visibleLine(question?.message ?? "", maxInHeading, words.display);
  if (!question || shown === "") {
    return (
      <Heading ref={heading} className="cs-title" tabIndex={-1}>
        {words.detail.asksQuestion(askerOf(approval))}
      </Heading>
    );
  }
  return (
    <div className="cs-agent-text cs-question">
      <Heading ref={heading} className="cs-title" tabIndex={-1}>
        <span className="cs-asker">{words.detail.question.asks(askerOf(approval))}</span>{" "}
        <SafeText text={inQuotes(shown, words.display)} />
      </Heading>
      <QuestionWarning approval={approval} />
      {cut && <Folded text={question.message} />}
      {question.address && <AddressToOpen approval={approval} address={question.address} />}
    </div>
  );
}

/** The question of an agent or an MCP server, in the zone of the model's text. */
export function QuestionText({ approval }: { approval: Approval }) {
  const question = questionOf(approval.input, approval.mcpServer);
  if (!question) return null;
  return (
    <Part className="cs-agent-text" title={words.detail.question.asks(askerOf(approval))}>
      <QuestionWarning approval={approval} />
      <blockquote>
        <Folded text={question.message} />
      </blockquote>
      {question.address && <AddressToOpen approval={approval} address={question.address} />}
    </Part>
  );
}

function QuestionWarning({ approval }: { approval: Approval }) {
  const { byServer, byModel } = words.detail.question;
  return (
    <p className="cs-agent-warning">
      <Icon name="info" />
      {approval.mcpServer ? byServer : byModel}
    </p>
  );
}
