import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import type { JsonSchema } from "../arguments/json-schema.js";
import { isRecord } from "../arguments/paths.js";
import { isQuestion } from "../wording/sentence.js";
import { questionOf } from "./answer-form.js";

/** One part of the answer to a question, under the name that its form gives it. */
export interface GivenAnswer {
  name: string;
  label: string;
  value: unknown;
  schema?: JsonSchema;
}

type Answered = Pick<Approval, "toolName" | "verdict" | "input" | "mcpServer" | "response">;

/**
 * The answer of a person, in the order of the form. `undefined` if the call is not a question, or if its answer has
 * another shape.
 */
export function answerGiven(approval: Answered): GivenAnswer[] | undefined {
  const { input, mcpServer, response } = approval;
  const question = isQuestion(approval) && questionOf(input, mcpServer);
  if (!question || !isRecord(response)) return undefined;
  const texts = words.decide.answer;
  const whole = (value: unknown) => [{ name: "answer", label: texts.given, value }];
  if (response.action === "decline") return whole(texts.declined);
  if (response.action !== "accept") return undefined;
  const { content } = response;
  if (!isRecord(content) || Object.keys(content).length === 0) return whole(texts.confirmed);
  const named = isRecord(input) && isRecord(input.form);
  const position = (name: string) => question.fields.findIndex((field) => field.name === name);
  return Object.entries(content)
    .sort(([a], [b]) => position(a) - position(b))
    .map(([name, value]) => {
      const field = question.fields[position(name)];
      const option = field?.options.find((each) => each.value === String(value));
      return {
        name,
        label: named ? (field?.label ?? name) : texts.given,
        value: option?.label ?? value,
        ...(field && { schema: field.schema }),
      };
    });
}
