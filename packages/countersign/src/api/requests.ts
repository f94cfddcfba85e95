import { z } from "zod";
import { approvalStatuses } from "../approval/status.js";

/** Longest reason that a person may write, in characters; the model reads it. */
const longestReason = 2000;

export const decisionBody = z.strictObject({
  type: z.enum(["approve", "deny"]),
  // Any text: one that is not the approval's digest is a mismatch (409), like the digest of something else.
  digest: z.string().min(1).max(200),
  reason: z.string().trim().min(1).max(longestReason).optional(),
});

export const listQuery = z.object({
  status: z.enum(approvalStatuses).optional(),
  threadId: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).optional(),
});

export const threadsQuery = z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) });
