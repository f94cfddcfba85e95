import type { Policy } from "@countersign/policy/internal/policy/policy";
import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Approval } from "../approval/approval.js";
import { matchesItsDigests } from "../approval/intact.js";
import { mayDecide, maySee, mustLeaveToOthers } from "../approval/who-decides.js";
import type { EvidenceSigner } from "../evidence/evidence-signer.js";
import type { GrantRequest } from "../grants/grant-request.js";
import { checkAnswer, checkResponseSize } from "../questions/answer.js";
import type { DecideInput } from "../store/ports/approval-port.js";
import type { WakeUp } from "../store/ports/request-port.js";
import type { Store } from "../store/store.js";
import { approvalOrError, wakeUpOf } from "./approval-or-error.js";
import { checkEdit, editedCall } from "./check-edit.js";
import type { InstanceLimits } from "./limits.js";
import { requireStorable } from "./require-storable.js";

/** A person's decision. `input` holds the changed arguments of an edit. */
export interface PersonsDecision extends Omit<DecideInput, "edited" | "grant" | "repeatsOnly"> {
  input?: unknown;
  /** The person saw all arguments, so their edit may change any of them. */
  seesEverything?: boolean;
  /** Lets later calls like this run without asking; only with an approval. */
  grant?: GrantRequest;
}

interface Deciding {
  store: Store;
  policy: Policy;
  limits: InstanceLimits;
  /** Signs the decision. Without it, no evidence is written. */
  signer: EvidenceSigner | undefined;
  /** Tries to send wake-ups at once. */
  wake(wakeUps: readonly WakeUp[]): Promise<void>;
}

export type Decide = (input: PersonsDecision) => Promise<Approval>;

/** Records one person's decision and wakes the run. Throws the error that the person should see. */
export function createDecide({ store, policy, limits, signer, wake }: Deciding): Decide {
  return async ({ input: edited, grant, seesEverything = false, ...decision }) => {
    requireStorable("reason", decision.reason);
    const checked = await audited(store, decision, async () => ({
      ...(await checkReplacement({ store, policy, limits }, decision, { input: edited, seesEverything })),
      ...(grant === undefined ? {} : await checkedGrant(store, decision, { request: grant, seesEverything })),
    }));
    crashPoint("before-decision");
    const result = await store.decide({ ...decision, ...checked }, signer);
    if (result.outcome === "decided") crashPoint("after-decision");
    await wake(wakeUpOf(result));
    if (result.outcome === "decided") crashPoint("after-wake-up");
    return approvalOrError(result, { action: "decide", principal: decision.principal });
  };
}

type DecisionAlone = Omit<PersonsDecision, "input" | "grant" | "seesEverything">;

/** Runs the checks that precede a decision. Their refusals go to the audit log, as the store's refusals do. */
async function audited<T>(
  store: Store,
  { approvalId, principal, type, digest }: DecisionAlone,
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (CountersignError.isInstance(error) && error.code !== "database_failed") {
      const { code } = error;
      await store.recordRefusal({ attempt: "decision", approvalId, principal, type, digest, code });
    }
    throw error;
  }
}

/**
 * Checks the changed arguments of an edit, or an answer. If the decision is impossible for another reason (no such
 * call, decided already, expired …), the store reports that more precisely.
 */
async function checkReplacement(
  { store, policy, limits }: { store: Store; policy: Policy; limits: InstanceLimits },
  decision: DecisionAlone,
  replacement: { input: unknown; seesEverything: boolean },
): Promise<Pick<DecideInput, "edited" | "repeatsOnly">> {
  const { approvalId, principal, digest, type } = decision;
  if (type !== "edit" && type !== "respond") return {};
  const approval = await store.getApproval(principal.tenantId, approvalId);
  const { input, seesEverything } = replacement;
  const editOptions = { seesEverything, maxBytes: limits.argumentBytes };
  // The person repeats their own edit because its response got lost. The store then only compares the content.
  const made = approval?.held ?? approval?.decision;
  if (approval && made?.type === "edit" && made.decidedBy === principal.id && type === "edit") {
    return { edited: editedCall(approval, input, editOptions), repeatsOnly: true };
  }
  const decidable =
    approval?.status === "pending" &&
    !approval.held &&
    approval.digest === digest &&
    matchesItsDigests(approval) &&
    mayDecide(approval, principal) &&
    approval.terms.decisions.includes(type);
  if (!decidable) return { repeatsOnly: true };
  if (type === "edit") {
    return { edited: await checkEdit({ policy, store }, approval, principal, input, editOptions) };
  }
  const responseJson = decision.responseJson ?? "null";
  checkResponseSize(responseJson, limits.resultBytes);
  checkAnswer(approval, JSON.parse(responseJson));
  return {};
}

/** Checks the grant of a decision. As above, the store reports why the decision itself is impossible. */
async function checkedGrant(
  store: Store,
  decision: DecisionAlone,
  { request, seesEverything }: { request: GrantRequest; seesEverything: boolean },
): Promise<Pick<DecideInput, "grant" | "repeatsOnly">> {
  const { checkGrant, invalidGrant, newGrant } = await import("../grants/check-grant.js");
  const { approvalId, principal, digest, type } = decision;
  if (type !== "approve") throw invalidGrant("grant", 'is only possible with the type "approve"');
  const approval = await store.getApproval(principal.tenantId, approvalId);
  if (!approval || !maySee(approval, principal)) return { repeatsOnly: true };
  const grant = newGrant(request, approval, { seesEverything });
  const decidable =
    approval.status === "pending" &&
    !approval.held &&
    approval.digest === digest &&
    mayDecide(approval, principal);
  if (!decidable || mustLeaveToOthers(approval, principal.id)) return { grant, repeatsOnly: true };
  checkGrant(grant, approval, principal);
  return { grant };
}
