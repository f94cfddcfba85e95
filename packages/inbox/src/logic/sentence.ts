import type { Approval } from "../api/approval.js";
import { questionOf } from "./answer-form.js";

/** Whether an agent asks a person something, instead of asking to be allowed something. */
export function isQuestion({ toolName, verdict }: Pick<Approval, "toolName" | "verdict">): boolean {
  return toolName === "request_human_input" && verdict === "manual";
}

/** The one sentence about an approval. What a model asks stands in quotation marks. */
export function sentenceOf(approval: Pick<Approval, "toolName" | "verdict" | "summary" | "input">): string {
  const question = isQuestion(approval) ? questionOf(approval.input) : undefined;
  return question ? `The agent asks: “${question.message}”` : approval.summary;
}
