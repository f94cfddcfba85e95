import type { Approval } from "../api/approval.js";
import { type Question, questionOf } from "../logic/answer-form.js";
import { isQuestion } from "../logic/sentence.js";

/** What is asked of a person who does the work in place of the tool. */
const resultQuestion: Question = {
  message: "",
  fields: [
    {
      name: "result",
      label: "Result",
      description: "What the agent is told in place of the tool's result: words, or JSON",
      control: "long",
      inputType: "text",
      options: [],
      required: true,
      initial: "",
      schema: {},
    },
  ],
};

/** The form of an approval that a person answers. */
export function answerQuestion(approval: Approval): Question {
  return (isQuestion(approval) && questionOf(approval.input)) || resultQuestion;
}

/** Ties the button at the foot to the form in the body. */
export function answerFormId({ id }: Approval): string {
  return `answer-${id}`;
}

/** What is sent: an answer to a question, or the result itself. */
export function answerOf(approval: Approval, content: Record<string, unknown>): unknown {
  return isQuestion(approval) ? { action: "accept", content } : resultValue(content);
}

/** JSON where it is an object or a list, else the words themselves: "7" is what somebody wrote, not a number. */
function resultValue({ result }: Record<string, unknown>): unknown {
  const text = String(result);
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : text;
  } catch {
    return text;
  }
}
