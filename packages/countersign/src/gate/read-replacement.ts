import type { Approval } from "../approval/approval.js";
import { satisfies } from "../approval/approval-basis.js";
import { isIntact } from "../approval/intact.js";
import type { Proposed } from "../approval/proposed.js";
import { approvalMissing, decisionUnproven, type Refusal } from "../approval/refusal-text.js";
import { approverOf } from "../evidence/approver-of.js";
import { checkDecision } from "../evidence/check-evidence.js";
import type { EvidenceReader } from "../evidence/evidence-signer.js";
import type { Store } from "../store/store.js";
import type { GateRuntime } from "./gate.js";
import { proposedTerms } from "./start-check.js";

/** What a person entered in place of the tool's result or of the arguments, or why the model does not get it. */
export interface Replacement {
  responseJson: string | null;
  editedInputJson: string | null;
  refusal: Refusal | null;
}

/** With a key, only what an approver has signed reaches the model. */
export async function readReplacement(
  { store, signer }: Pick<GateRuntime, "store" | "signer">,
  tenantId: string,
  approvalId: string,
  proposed: Proposed,
): Promise<Replacement> {
  if (!signer) return { ...(await store.readReplacement(approvalId)), refusal: null };
  const nothing = { responseJson: null, editedInputJson: null };
  const approval = await store.getApproval(tenantId, approvalId);
  if (!approval) return { ...nothing, refusal: approvalMissing("this tool", approvalId) };
  if (await isSigned(store, signer, approval, proposed)) {
    const { responseJson, edited } = approval;
    return { responseJson, editedInputJson: edited?.inputJson ?? null, refusal: null };
  }
  await noteUnproven(store, approval);
  return { ...nothing, refusal: decisionUnproven(approvalId) };
}

/** True if the decision in the row is an approver's, about the exact call that the run proposed. */
async function isSigned(
  store: Store,
  reader: EvidenceReader,
  approval: Approval,
  proposed: Proposed,
): Promise<boolean> {
  if (!isIntact(approval, proposed)) return false;
  const evidence = await store.readEvidence(approval.tenantId, approval.id);
  if (!evidence) return false;
  const checked = checkDecision(approval, evidence, await reader.read("evidence", evidence.token));
  if (!checked.ok) return false;
  const basis = { by: "people", approvers: [approverOf(checked.claims)] } as const;
  const { requesterId } = approval;
  return satisfies(proposedTerms(approval), basis, { requesterId, proposedAt: proposed.at });
}

/** Records in the audit log that a decision was withheld from the model. */
export function noteUnproven(
  store: Store,
  { tenantId, id }: Pick<Approval, "tenantId" | "id">,
): Promise<void> {
  return store.recordNote({ tenantId, type: "evidence.refused", data: { approvalId: id } });
}
