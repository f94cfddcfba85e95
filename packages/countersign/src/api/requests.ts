import { decisionTypes } from "@countersign/policy/internal/policy/rules/rule";
import { durationMs } from "@countersign/policy/internal/shared/duration";
import {
  isStorable,
  isWellFormed,
  pathOfBadText,
  storableTextSchema as text,
  unstorableMessage,
} from "@countersign/policy/internal/shared/storable-text";
import * as z from "zod";
import { shapeProblem } from "../approval/tool-input.js";
import { grantRequest } from "../grants/grant-request.js";

/** Accepts any JSON unchanged, with limits on depth and text. Zod's own JSON schema would rebuild it key by key. */
function json(isText: (text: string) => boolean, message: string) {
  return z
    .custom<unknown>((value) => value !== undefined, { abort: true })
    .refine((value) => shapeProblem(value) === undefined, {
      error: ({ input }) => `is too complex: ${shapeProblem(input)}`,
      abort: true,
    })
    .superRefine((value, context) => {
      const path = pathOfBadText(value, isText);
      if (path) context.addIssue({ code: "custom", path, message });
    });
}

/** Maximum length of a decision's reason in characters. The model reads it. */
const maxReasonLength = 2000;

/** Fields shared by all decision requests. */
export const decisionFields = {
  // Any text is accepted here. A text that is not the approval's digest is a mismatch (409).
  digest: text.min(1).max(200),
  reason: text.trim().min(1).max(maxReasonLength).optional(),
  holdMs: z
    .int()
    .min(0)
    .max(60_000)
    .optional()
    .describe(
      "Milliseconds before the decision takes effect, in which you may take it back: at most maxHoldMs of the call. Not with a grant. Default: 0",
    ),
  // The model's own arguments may contain NUL (escaped in JSON), so edited ones may too.
  input: json(isWellFormed, "must not contain unpaired surrogates").optional(),
};

export const decisionBody = z
  .strictObject({
    type: z.enum(decisionTypes),
    digest: decisionFields.digest.describe("The digest of the call you were shown"),
    reason: decisionFields.reason.describe("Shown to the agent"),
    grant: grantRequest
      .optional()
      .describe("Creates a grant that lets matching calls run without approval. Only with type approve"),
    holdMs: decisionFields.holdMs,
    response: json(isStorable, unstorableMessage)
      .optional()
      .describe("The result supplied by a person instead of running the tool. Only with type respond"),
    input: decisionFields.input.describe("The complete edited arguments. Only with type edit"),
  })
  .refine((body) => (body.type === "edit") === (body.input !== undefined), {
    path: ["input"],
    message: 'is required with type "edit" and not allowed otherwise',
  })
  .refine((body) => body.type === "approve" || body.grant === undefined, {
    path: ["grant"],
    message: 'is only allowed with type "approve"',
  })
  .refine((body) => (body.type === "respond") === (body.response !== undefined), {
    path: ["response"],
    message: 'is required with type "respond" and not allowed otherwise',
  });

/** Some of these values, separated by commas. */
export function listOf<const Value extends string>(values: readonly Value[]) {
  const each = z.array(z.enum(values));
  return text.transform((list, context): Value[] => {
    const parsed = each.safeParse([...new Set(list.split(","))]);
    if (parsed.success) return parsed.data;
    context.addIssue(`must be one or more of ${values.join(", ")}, separated by commas`);
    return z.NEVER;
  });
}

/** A duration, such as "10m", in milliseconds. */
export const durationText = text.max(50).transform((given, context) => {
  const value = durationMs(given);
  if (value !== undefined) return value;
  context.addIssue('must be a duration, such as "10m"');
  return z.NEVER;
});
