import { assign } from "../approval/assign.js";
import { callAsSigned } from "../approval/call-as-signed.js";
import { judgeClaim } from "../approval/claim.js";
import { decide, readReplacement } from "../approval/decide.js";
import { extend } from "../approval/extend.js";
import { endOfClaimed, judgeFinish } from "../approval/finish.js";
import { takeBack } from "../approval/hold.js";
import { recordRefusal, withRefusal } from "../approval/refused-attempts.js";
import { resolve } from "../approval/resolve-interrupted.js";
import { snooze } from "../approval/snooze.js";
import { setViewing } from "../approval/viewers.js";
import { callReading } from "../call-seen.js";
import { withSeals } from "../evidence/sealing.js";
import { trailOf } from "../evidence/trail.js";
import type { ApprovalPort } from "../ports/approval-port.js";
import { readApproval } from "../rows/read-approval.js";
import type { Scopes } from "../scopes.js";

/** Decides, assigns, claims and ends approvals. */
export function approvalVerbs({ inTenant, forTenant, reading, judging }: Scopes): ApprovalPort {
  return {
    decide: (input, signer) =>
      withSeals(forTenant(input.principal.tenantId), signer, async (tx, sealer) =>
        withRefusal(tx, { attempt: "decision", ...input }, await decide(tx, input, sealer)),
      ),
    takeBack: (input) =>
      inTenant(input.principal.tenantId, async (tx) =>
        withRefusal(tx, { attempt: "taking_back", ...input }, await takeBack(tx, input)),
      ),
    recordRefusal: (refusal) => inTenant(refusal.principal.tenantId, (tx) => recordRefusal(tx, refusal)),
    assign: (input, signer) =>
      withSeals(forTenant(input.principal.tenantId), signer, async (tx, sealer) =>
        withRefusal(tx, { attempt: "assignment", ...input }, await assign(tx, input, sealer)),
      ),
    setViewing: (input) => inTenant(input.principal.tenantId, (tx) => setViewing(tx, input)),
    snooze: (input) => inTenant(input.principal.tenantId, (tx) => snooze(tx, input)),
    extend: (input) =>
      inTenant(input.principal.tenantId, async (tx) =>
        withRefusal(tx, { attempt: "extension", ...input }, await extend(tx, input)),
      ),
    resolve: (input, signer) =>
      withSeals(forTenant(input.principal.tenantId), signer, async (tx, sealer) => {
        const attempted = { attempt: "resolution", type: input.outcome, ...input } as const;
        return withRefusal(tx, attempted, await resolve(tx, input, sealer));
      }),
    readReplacement: (approvalId) => reading.asSystem((tx) => readReplacement(tx, approvalId)),
    claim: (approvalId, handlerKind, check, reader, startedBy = null) =>
      judging(callReading(approvalId), (seen) => judgeClaim(seen, { handlerKind, check, reader, startedBy })),
    readAsSigned: (tenantId, approvalId, reader) =>
      reading.inTenant(tenantId, async (tx) => {
        const row = await readApproval(tx, tenantId, approvalId);
        return row && callAsSigned(row, await trailOf(tx, row), reader);
      }),
    finish: (approvalId, end, claimed) =>
      judging(
        callReading(approvalId),
        (seen) => judgeFinish(seen, end),
        claimed && endOfClaimed(claimed, end),
      ),
  };
}
