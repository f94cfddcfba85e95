import { useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { questionOf, readAnswer } from "../logic/answer-form.js";
import { AnswerControl } from "./answer-control.js";
import { resultQuestion, resultValue } from "./result-question.js";
import type { Deciding } from "./use-decision.js";

interface AnswerPanelProps {
  approval: Approval;
  deciding: Deciding;
}

/** The form for an agent's question, or for the result of work that a person does in place of the tool. */
export default function AnswerPanel({ approval, deciding }: AnswerPanelProps) {
  const [tried, setTried] = useState(false);
  const { draft, changeDraft, answer, blocked, setPanel, panel, sending } = deciding;
  const asked = approval.toolName === "request_human_input" ? questionOf(approval.input) : undefined;
  const question = asked ?? resultQuestion;
  const { content, problems } = readAnswer(question.fields, draft.answer);
  const wrong = Object.keys(problems).length > 0;
  return (
    <form
      className="cs-panel cs-answer"
      aria-label={asked ? "Answer" : "Result"}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (wrong || blocked) return;
        answer(asked ? { action: "accept", content } : resultValue(content));
      }}
    >
      {question.fields.map((field) => (
        <AnswerControl
          key={field.name}
          field={field}
          value={draft.answer[field.name] ?? field.initial}
          problem={tried ? problems[field.name] : undefined}
          onChange={(value) => changeDraft({ answer: { ...draft.answer, [field.name]: value } })}
        />
      ))}
      <div className="cs-decision-buttons">
        {asked && (
          <Button tone="danger" blocked={blocked} onClick={() => answer({ action: "decline" })}>
            Decline to answer
          </Button>
        )}
        {panel === "answer" && (
          <Button tone="quiet" shortcut="Esc" onClick={() => setPanel("none")}>
            Cancel
          </Button>
        )}
        <span className="cs-spacer" />
        <Button type="submit" tone="primary" blocked={blocked} aria-busy={sending}>
          {asked ? "Send answer" : "Send result"}
        </Button>
      </div>
    </form>
  );
}
