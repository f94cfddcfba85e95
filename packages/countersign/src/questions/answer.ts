import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import { answerForm } from "@countersign/policy/internal/questions/answer-form";
import { bytesOf, sizeText } from "@countersign/policy/internal/shared/byte-size";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { fieldProblems, problemText } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import type { Approval } from "../approval/approval.js";

const text = z.string().max(10_000);
const asked = z.object({
  choices: z.array(z.string()).optional(),
  form: answerForm.optional(),
  url: z.string().optional(),
});

/**
 * Checks the size of a response, which reaches the run in a step's output. Inngest limits these outputs.
 *
 * @throws CountersignError `invalid_response`
 */
export function checkResponseSize(responseJson: string, maxBytes: number): void {
  const bytes = bytesOf(responseJson);
  if (bytes <= maxBytes) return;
  const message = `takes ${sizeText(bytes)} of JSON, more than the maximum of ${sizeText(maxBytes)}; shorten it, or store the content elsewhere and respond with a reference to it`;
  throw new CountersignError("invalid_response", `response: ${message}`, {
    detail: { errors: [{ field: "response", message }] },
  });
}

/**
 * Checks a person's answer to a question. The answer is `{action: "accept", content}`, `{action: "decline"}` or
 * `{action: "cancel"}`. `content` has `choice` (one of the choices), the form's fields or `answer` (a text). It is
 * absent or empty if the person was asked to open an address.
 *
 * @throws CountersignError `invalid_response`, naming the fields.
 */
export function checkAnswer(approval: Approval, response: unknown): void {
  if (approval.toolName !== requestHumanInputName) return;
  const question = asked.parse(JSON.parse(approval.inputJson));
  // An address is only used in questions of MCP servers. A model's own question could name any address.
  const { mcp } = approval.policyContext;
  const parsed = answerSchema(mcp ? question : { ...question, url: undefined }).safeParse(response);
  if (parsed.success) return;
  const errors = fieldProblems(parsed.error, "response");
  throw new CountersignError("invalid_response", problemText(errors), { detail: { errors } });
}

function answerSchema({ choices, form, url }: z.infer<typeof asked>): z.ZodType {
  const content: z.ZodType = url
    ? z.strictObject({}).optional()
    : form
      ? z.fromJSONSchema(JSON.parse(JSON.stringify({ ...form, additionalProperties: false })))
      : choices
        ? z.strictObject({ choice: z.enum(choices as [string, ...string[]]) })
        : z.strictObject({ answer: text.min(1) });
  return z.discriminatedUnion("action", [
    z.strictObject({ action: z.literal("accept"), content }),
    z.strictObject({ action: z.literal("decline") }),
    z.strictObject({ action: z.literal("cancel") }),
  ]);
}
