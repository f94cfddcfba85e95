import { z } from "zod";
import { approvalStatuses } from "../approval/status.js";
import { depthOf, maxInputDepth } from "../approval/tool-input.js";
import { grantRequest } from "../grants/grant-request.js";

/** Text that Postgres can keep. */
export const text = z.string().regex(/^[^\0]*$/, "must not contain the NUL character");

/** Any JSON as it came, unless it is nested deeper than arguments may be; Zod's own would rebuild it key by key. */
const json = z.custom<unknown>((value) => value !== undefined && depthOf(value) <= maxInputDepth, {
  message: `must not be nested more than ${maxInputDepth} levels deep`,
});

/** Longest reason that a person may write, in characters; the model reads it. */
const longestReason = 2000;

export const decisionBody = z
  .strictObject({
    type: z.enum(["approve", "edit", "deny", "respond"]),
    // Any text: one that is not the approval's digest is a mismatch (409), like the digest of something else.
    digest: z.string().min(1).max(200),
    reason: text.trim().min(1).max(longestReason).optional(),
    /** Lets such calls run from now on without anybody being asked, where the type is approve. */
    grant: grantRequest.optional(),
    /** The tool's result, where a person supplies it instead of running the tool. */
    response: json.optional(),
    /** All arguments as they are to run, where a person changes them. */
    input: json.optional(),
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

export const listQuery = z.object({
  status: z.enum(approvalStatuses).optional(),
  threadId: text.min(1).optional(),
  /** `me`, or a principal's id. */
  assignee: text.min(1).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).optional(),
});

export const threadsQuery = z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) });
