import type { Approval } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { questionOf } from "../logic/answer-form.js";

/** What an agent asks a person, in the zone of the model's words. */
export function QuestionWords({ approval }: { approval: Approval }) {
  const question = questionOf(approval.input);
  if (!question) return null;
  return (
    <section className="cs-agent-words" aria-labelledby="question">
      <h2 id="question">The agent asks</h2>
      <p className="cs-agent-warning">
        <Icon name="info" />
        Written by the model, not verified. Never answer with a password or a key.
      </p>
      <blockquote>
        <SafeText text={question.message} />
      </blockquote>
    </section>
  );
}
