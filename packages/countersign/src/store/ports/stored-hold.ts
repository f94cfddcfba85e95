// Do not import Drizzle here: public declarations include this file.

import { decisionTypes } from "@countersign/policy/internal/policy/rules/rule";
import * as z from "zod";
import { evidenceOrigins } from "../../evidence/evidence-claims.js";

const time = z.iso.datetime();

/** A held decision as its row keeps it, with all that is written when it takes effect. Times are ISO 8601 in UTC. */
export const storedHold = z.object({
  type: z.enum(decisionTypes),
  decidedBy: z.string(),
  roles: z.array(z.string()),
  reason: z.string().nullable(),
  decidedAt: time,
  /** The round of waiting that had begun last. */
  round: z.int(),
  responseJson: z.string().nullable(),
  edited: z.object({ inputJson: z.string(), digest: z.string() }).nullable(),
  /** The signed evidence; `null` without a signing key. */
  evidence: z
    .object({
      id: z.string(),
      tenantId: z.string(),
      approvalId: z.string().nullable(),
      digest: z.string(),
      decision: z.enum(decisionTypes),
      principalId: z.string(),
      origin: z.enum(evidenceOrigins),
      via: z.string().nullable(),
      keyId: z.string(),
      token: z.string(),
      createdAt: time,
      expiresAt: time,
    })
    .nullable(),
});

export type StoredHold = z.infer<typeof storedHold>;
