import type { Approval } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { questionOf } from "../logic/questions/answer-form.js";
import { askerOf } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";
import { AddressToOpen } from "./address-to-open.js";
import { Part } from "./part.js";

/** The question of an agent or an MCP server, in the zone of the model's text. */
export function QuestionText({ approval }: { approval: Approval }) {
  const question = questionOf(approval.input, approval.mcpServer);
  if (!question) return null;
  const texts = words.detail.question;
  return (
    <Part className="cs-agent-text" title={texts.asks(askerOf(approval))}>
      <p className="cs-agent-warning">
        <Icon name="info" />
        {approval.mcpServer ? texts.byServer : texts.byModel}
      </p>
      <blockquote>
        <SafeText text={question.message} />
      </blockquote>
      {question.address && <AddressToOpen approval={approval} address={question.address} />}
    </Part>
  );
}
