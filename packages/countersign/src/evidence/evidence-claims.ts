import { grantScopes } from "@countersign/policy/internal/policy/rules/rule";
import * as z from "zod";
import { fingerprintSchema } from "./action-fingerprint.js";

/**
 * How evidence came about: a person decided in a first-party interface, or a call matched a contract that a person had
 * reviewed.
 */
export const evidenceOrigins = ["runtime-ui-confirm", "operator-contract-review"] as const;

export type EvidenceOrigin = (typeof evidenceOrigins)[number];

/** The approver who delegated the decision, with their roles at the time. */
export const delegatorSchema = z.strictObject({ id: z.string(), roles: z.array(z.string()) });

export type Delegator = z.infer<typeof delegatorSchema>;

/** The claims in every signature. Times are seconds since 1970, with milliseconds as a fraction. */
const common = {
  id: z.string(),
  tenantId: z.string(),
  iat: z.number(),
};

/** Claims about one approval: `digest` is the one at its proposal. */
const ofApproval = { ...common, approvalId: z.string(), digest: z.string() };

/** The signed claims of a decision or a confirmation. */
export const evidenceClaimsSchema = z.strictObject({
  ...common,
  /** `null` for an operator's confirmation outside of approvals. */
  approvalId: z.string().nullable(),
  toolName: z.string(),
  /** SHA-256 (hex) of what was decided: after an edit, of the changed call. */
  digest: z.string(),
  decision: z.enum(["approve", "edit", "deny", "respond"]),
  principalId: z.string(),
  /** The person's roles. */
  roles: z.array(z.string()),
  /** On whose behalf the person decided, if the rule itself does not name them. */
  onBehalfOf: delegatorSchema.optional(),
  /** How the person was authenticated, such as a channel's name; missing if the host does not say. */
  via: z.string().optional(),
  /** Hashes of the approval's nonce with the person's response, and with their reason. */
  responseHash: z.string().optional(),
  reasonHash: z.string().optional(),
  /** The grant that approved the call. */
  grantId: z.string().optional(),
  origin: z.enum(evidenceOrigins),
  exp: z.number(),
  /** If the decision was held so that its person could take it back: the end of that time. It may not take effect before. */
  nbf: z.number().optional(),
  /** For a confirmation: the confirmed action, whose hash is `digest`. */
  action: fingerprintSchema.optional(),
});

export type EvidenceClaims = z.infer<typeof evidenceClaimsSchema>;

/** The signed claims of each kind. The token's header holds the kind, so that one cannot pass for another. */
export const signedClaims = {
  evidence: evidenceClaimsSchema,
  /** One person's vote if several people decide. */
  vote: z.strictObject({
    ...ofApproval,
    decision: z.enum(["approve", "deny"]),
    principalId: z.string(),
    roles: z.array(z.string()),
    onBehalfOf: delegatorSchema.optional(),
    via: z.string().optional(),
  }),
  /** An approver's delegation of a decision. */
  assignment: z.strictObject({
    ...ofApproval,
    to: z.string(),
    /** The person who assigned the call last. */
    principalId: z.string(),
    /** The approver whom the rule names, who assigned it first. */
    onBehalfOf: delegatorSchema,
  }),
  /** A person's wish to undo a call that has run. `approvalId` and `digest` are those of the undo. */
  undo: z.strictObject({
    ...ofApproval,
    /** The approval of the call to undo. */
    undoneId: z.string(),
    /** Hash of how that call has ended, with its nonce. */
    outcomeHash: z.string(),
    principalId: z.string(),
    roles: z.array(z.string()),
  }),
  /** What a grant covers, and who gave it. */
  grant: z.strictObject({
    ...common,
    /** The approval that gave it. */
    approvalId: z.string(),
    scope: z.enum(grantScopes),
    scopeId: z.string().nullable(),
    toolName: z.string(),
    toolVersion: z.string(),
    inputHash: z.string().nullable(),
    condition: z.string().nullable(),
    /** The condition may read redacted fields, because its author could. */
    authorSeesAll: z.boolean(),
    rerun: z.boolean(),
    /** For a rerun: the requester of the call. */
    requesterId: z.string().nullable(),
    uses: z.int().nullable(),
    /** Absent if there is none. */
    budget: z
      .strictObject({
        amount: z.string(),
        total: z.number(),
        each: z.number().nullable(),
        unit: z.string().nullable(),
      })
      .optional(),
    principalId: z.string(),
    roles: z.array(z.string()),
    exp: z.number(),
  }),
  /** A part of the audit log that was deleted because of its age. */
  segment: z.strictObject({
    ...common,
    firstPosition: z.int(),
    lastPosition: z.int(),
    headHash: z.string(),
    segmentHash: z.string(),
  }),
  /** The outcome of a call, signed by the process that ran it. */
  outcome: z.strictObject({
    ...ofApproval,
    status: z.enum(["executed", "failed"]),
    /** The digest of the changed arguments, if a person changed them. */
    editedDigest: z.string().optional(),
    /** Hash of the approval's nonce with the outcome. */
    outcomeHash: z.string(),
  }),
} as const;

export type SignedKind = keyof typeof signedClaims;
export type SignedClaims = { [Kind in SignedKind]: z.infer<(typeof signedClaims)[Kind]> };
