import { z } from "zod";
import { approvalStatuses } from "../approval/status.js";
import { depthOf, maxInputDepth } from "../approval/tool-input.js";
import { grantRequest } from "../grants/grant-request.js";
import { decisionTypes } from "../policy/rule.js";

/** Text that Postgres can keep. */
export const text = z.string().regex(/^[^\0]*$/, "must not contain the NUL character");

/** Any JSON as it came, unless it is nested deeper than arguments may be; Zod's own would rebuild it key by key. */
const json = z.custom<unknown>((value) => value !== undefined && depthOf(value) <= maxInputDepth, {
  message: `must not be nested more than ${maxInputDepth} levels deep`,
});

/** Longest reason that a person may write, in characters; the model reads it. */
const longestReason = 2000;

/** The fields that every form of a decision shares. */
export const decisionFields = {
  // Any text: one that is not the approval's digest is a mismatch (409), like the digest of something else.
  digest: z.string().min(1).max(200),
  reason: text.trim().min(1).max(longestReason).optional(),
  input: json.optional(),
};

export const decisionBody = z
  .strictObject({
    type: z.enum(decisionTypes),
    digest: decisionFields.digest.describe("The digest of the call as you were shown it"),
    reason: decisionFields.reason.describe("The agent reads it"),
    grant: grantRequest
      .optional()
      .describe("Lets such calls run from now on without anybody being asked; only with the type approve"),
    response: json
      .optional()
      .describe("The tool's result, where a person supplies it instead of running the tool"),
    input: decisionFields.input.describe("All arguments as they are to run, where a person changes them"),
  })
  .refine((body) => (body.type === "edit") === (body.input !== undefined), {
    path: ["input"],
    message: 'must be there with the type "edit", and only with it',
  })
  .refine((body) => body.type === "approve" || body.grant === undefined, {
    path: ["grant"],
    message: 'is only possible with the type "approve"',
  })
  .refine((body) => (body.type === "respond") === (body.response !== undefined), {
    path: ["response"],
    message: 'must be there with the type "respond", and only with it',
  });

/** States, separated by commas. */
export const statusList = z.string().transform((list, context) => {
  const parsed = z.array(z.enum(approvalStatuses)).safeParse([...new Set(list.split(","))]);
  if (parsed.success) return parsed.data;
  context.addIssue(`must be one or more of ${approvalStatuses.join(", ")}, separated by commas`);
  return z.NEVER;
});
