import { z } from "zod";
import { fingerprintSchema } from "./action-fingerprint.js";

/** Where a proof comes from: a person decided in a first-party interface, or under a contract that one had reviewed. */
export const evidenceOrigins = ["runtime-ui-confirm", "operator-contract-review"] as const;

export type EvidenceOrigin = (typeof evidenceOrigins)[number];

/** What a signature covers. Times are seconds since 1970, with milliseconds as a fraction. */
export const evidenceClaimsSchema = z.strictObject({
  id: z.string(),
  tenantId: z.string(),
  /** `null` for a confirmation that an operator gave elsewhere. */
  approvalId: z.string().nullable(),
  toolName: z.string(),
  /** SHA-256 (hex) of what was decided: after an edit, of the changed call. */
  digest: z.string(),
  decision: z.enum(["approve", "edit", "deny", "respond"]),
  principalId: z.string(),
  origin: z.enum(evidenceOrigins),
  iat: z.number(),
  exp: z.number(),
  /** Of a confirmation: the action that was confirmed, of which `digest` is the hash. */
  action: fingerprintSchema.optional(),
});

export type EvidenceClaims = z.infer<typeof evidenceClaimsSchema>;
