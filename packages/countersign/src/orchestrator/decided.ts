import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import * as z from "zod";
import type { Approval } from "../approval/approval.js";
import { decisionUnproven, refusalFor, refusalSchema } from "../approval/refusal-text.js";
import { checkDecision } from "../evidence/check-evidence.js";
import type { EvidenceReader } from "../evidence/evidence-signer.js";
import type { Store } from "../store/store.js";

/** The outcome of one call for the waiting run. Arguments stay in the database. */
export const decidedSchema = z.object({
  approvalId: z.string(),
  /** Digest of the row, which the run compares with its proposal. */
  digest: z.string(),
  open: z.boolean(),
  responded: z.boolean(),
  edited: z.boolean(),
  refusal: refusalSchema.nullable(),
  /** An unsigned denial, whose reason must not reach the model. */
  unproven: z.boolean().optional(),
  /** Who decided. */
  decided: z.object({ by: z.string(), at: z.string(), reason: z.string().nullable() }).optional(),
});

export type Decided = z.infer<typeof decidedSchema>;

/**
 * The outcome of each call of a request. With a key, a person's denial must be signed, because the model reads its
 * reason.
 */
export function decidedOf(
  store: Store,
  reader: EvidenceReader | undefined,
  approvals: readonly Approval[],
): Promise<Decided[]> {
  return Promise.all(
    approvals.map(async (approval) => {
      const unproven =
        reader !== undefined && isDenial(approval) && !(await isProven(store, reader, approval));
      return {
        approvalId: approval.id,
        digest: approval.digest,
        open: isOpen(approval.status),
        responded: approval.status === "responded",
        edited: approval.edited !== null,
        refusal: (unproven ? decisionUnproven(approval.id) : refusalFor(approval)) ?? null,
        unproven,
        ...(!unproven && decidedBy(approval)),
      };
    }),
  );
}

function decidedBy({ decision }: Approval): Pick<Decided, "decided"> {
  if (!decision?.decidedBy) return {};
  const { decidedBy: by, decidedAt, reason } = decision;
  return { decided: { by, at: decidedAt.toISOString(), reason } };
}

/** Denied although the policy asked, so a person denied it. */
function isDenial({ status, verdict }: Approval): boolean {
  return status === "denied" && verdict !== "deny";
}

async function isProven(store: Store, reader: EvidenceReader, approval: Approval): Promise<boolean> {
  const evidence = await store.readEvidence(approval.tenantId, approval.id);
  if (!evidence || approval.decision?.decidedBy === null) return false;
  return checkDecision(approval, evidence, await reader.read("evidence", evidence.token)).ok;
}
