import * as z from "zod";

const text = z.string().max(10_000);
/** Maximum number of fields. Nobody fills in more at once. */
const maxFields = 100;

/** One form field, as in MCP elicitation. */
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

/** A flat form, which every inbox can show. */
export const answerForm = z.strictObject({
  type: z.literal("object"),
  properties: z
    .record(z.string().min(1).max(100), field)
    .refine((fields) => Object.keys(fields).length <= maxFields, `at most ${maxFields} fields`),
  required: z.array(z.string()).optional(),
});

export type AnswerForm = z.infer<typeof answerForm>;
