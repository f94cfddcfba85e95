import { useState } from "react";
import type { Approval } from "../api/approval.js";
import { useOpenedAddress } from "../data/approvals/use-opened-address.js";
import { readAnswer } from "../logic/questions/answer-form.js";
import { words } from "../words/words.js";
import { AnswerControl } from "./answer-control.js";
import { answerFormId, answerOf, answerQuestion } from "./answer-question.js";
import type { Deciding } from "./use-decision.js";

interface AnswerPanelProps {
  approval: Approval;
  deciding: Deciding;
}

/** The form for an agent's question, or for the result of a call that a person does instead of the tool. */
export default function AnswerPanel({ approval, deciding }: AnswerPanelProps) {
  const [tried, setTried] = useState(false);
  const { draft, changeDraft, answer, blocked } = deciding;
  const question = answerQuestion(approval);
  const { address } = question;
  const [opened] = useOpenedAddress(approval.id, address);
  const { content, problems } = readAnswer(question.fields, draft.answer);
  return (
    <form
      className="cs-answer"
      id={answerFormId(approval)}
      aria-label={words.decide.answer.title}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        const [wrong] = Object.keys(problems);
        if (wrong !== undefined) {
          const control = event.currentTarget.elements.namedItem(wrong);
          const first = control instanceof RadioNodeList ? control[0] : control;
          if (first instanceof HTMLElement) first.focus();
        } else if (!blocked && (!address || opened)) answer(answerOf(approval, content));
      }}
    >
      {address && <AddressAnswer host={address.host} opened={opened} />}
      {question.fields.map((field) => (
        <AnswerControl
          key={field.name}
          field={field}
          value={draft.answer[field.name] ?? field.initial}
          problem={tried ? problems[field.name] : undefined}
          onChange={(value) => changeDraft({ answer: { ...draft.answer, [field.name]: value } })}
        />
      ))}
    </form>
  );
}

/** Says what the reader does next about an address: open it, or confirm that it was opened. */
function AddressAnswer({ host, opened }: { host: string; opened: boolean }) {
  return (
    <p className="cs-hint" role="status">
      {opened ? words.decide.address.opened(host) : words.decide.address.open(host)}
    </p>
  );
}
