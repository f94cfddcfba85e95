import { z } from "zod";
import type { Approval } from "../approval/approval.js";
import { CountersignError } from "../errors.js";
import { requestHumanInputName } from "./request-human-input.js";

const text = z.string().max(10_000);

/** One field of a form, as MCP elicitation has them. */
const field = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("string"),
    title: text.optional(),
    description: text.optional(),
    enum: z.array(text).min(1).optional(),
    enumNames: z.array(text).optional(),
    minLength: z.int().min(0).optional(),
    maxLength: z.int().min(0).optional(),
    format: z.enum(["email", "uri", "date", "date-time"]).optional(),
    default: text.optional(),
  }),
  z.strictObject({
    type: z.enum(["number", "integer"]),
    title: text.optional(),
    description: text.optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    default: z.number().optional(),
  }),
  z.strictObject({
    type: z.literal("boolean"),
    title: text.optional(),
    description: text.optional(),
    default: z.boolean().optional(),
  }),
]);

/** A flat form: what every inbox can show. */
export const answerForm = z.strictObject({
  type: z.literal("object"),
  properties: z.record(z.string().min(1).max(100), field),
  required: z.array(z.string()).optional(),
});

const asked = z.object({
  choices: z.array(z.string()).optional(),
  form: answerForm.optional(),
});

/**
 * Checks a person's answer to a question: `{action: "accept", content}` with `content.choice` (one of the choices),
 * the form's fields, or `content.answer` (text); or `{action: "decline"}` or `{action: "cancel"}`.
 *
 * @throws CountersignError `invalid_response`, naming the fields.
 */
export function checkAnswer(approval: Approval, response: unknown): void {
  if (approval.toolName !== requestHumanInputName) return;
  const parsed = answerSchema(asked.parse(JSON.parse(approval.inputJson))).safeParse(response);
  if (parsed.success) return;
  const errors = parsed.error.issues.map((issue) => ({
    field: ["response", ...issue.path.map(String)].join("."),
    message: issue.message,
  }));
  const words = errors.map(({ field: name, message }) => `${name}: ${message}`).join("; ");
  throw new CountersignError("invalid_response", words, { detail: { errors } });
}

function answerSchema({ choices, form }: z.infer<typeof asked>): z.ZodType {
  const content: z.ZodType = form
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
