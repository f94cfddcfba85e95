import type { Question } from "../logic/answer-form.js";

/** What is asked of a person who does the work in place of the tool. */
export const resultQuestion: Question = {
  message: "",
  shape: "answer",
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

/** JSON where it is an object or a list, else the words themselves: "7" is what somebody wrote, not a number. */
export function resultValue({ result }: Record<string, unknown>): unknown {
  const text = String(result);
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : text;
  } catch {
    return text;
  }
}
