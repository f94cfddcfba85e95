import type { Approval } from "../api/approval.js";
import { type Question, questionOf } from "../logic/questions/answer-form.js";
import { isQuestion } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";

/** The form for a person who does the tool's work. */
function resultQuestion(): Question {
  return {
    message: "",
    fields: [
      {
        name: "result",
        label: words.decide.answer.result,
        description: words.decide.answer.resultNote,
        control: "long",
        inputType: "text",
        options: [],
        required: true,
        initial: "",
        schema: {},
      },
    ],
  };
}

/** The form of an approval that a person answers. */
export function answerQuestion(approval: Approval): Question {
  return (isQuestion(approval) && questionOf(approval.input, approval.mcpServer)) || resultQuestion();
}

/** The id of the form, for the submit button in the decision bar. */
export function answerFormId({ id }: Approval): string {
  return `answer-${id}`;
}

/** The response to send: an answer to a question, or the result itself. */
export function answerOf(approval: Approval, content: Record<string, unknown>): unknown {
  if (answerQuestion(approval).address) return { action: "accept" };
  return isQuestion(approval) ? { action: "accept", content } : resultValue(content);
}

/** Parsed JSON if it is an object or an array, else the text itself: "7" stays text. */
function resultValue({ result }: Record<string, unknown>): unknown {
  const text = String(result);
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : text;
  } catch {
    return text;
  }
}
