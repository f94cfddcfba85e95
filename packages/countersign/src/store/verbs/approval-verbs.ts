import type { Approval } from "../../approval/approval.js";
import { assign } from "../approval/assign.js";
import { callAsSigned } from "../approval/call-as-signed.js";
import { judgeClaim } from "../approval/claim.js";
import { judgeDecision, readReplacement } from "../approval/decide.js";
import { extend } from "../approval/extend.js";
import { endOfClaimed, judgeFinish } from "../approval/finish.js";
import { judgeTakeBack } from "../approval/hold.js";
import { isRefusal, recordRefusal, withRefusal } from "../approval/refused-attempts.js";
import { resolve } from "../approval/resolve-interrupted.js";
import { snooze } from "../approval/snooze.js";
import { setViewing } from "../approval/viewers.js";
import { callReading } from "../call-seen.js";
import { decisionReading } from "../decision-seen.js";
import { sealing, withSeals } from "../evidence/sealing.js";
import { trailOf } from "../evidence/trail.js";
import type { ApprovalPort, Attempted } from "../ports/approval-port.js";
import { readApproval } from "../rows/read-approval.js";
import type { Scopes } from "../scopes.js";

/** Decides, assigns, claims and ends approvals. */
export function approvalVerbs({ inTenant, forTenant, reading, judging, judgingFor }: Scopes): ApprovalPort {
  const logged = <Result extends { outcome: string; approval?: Approval }>(
    attempted: Attempted,
    result: Result,
  ): Result | Promise<Result> =>
    isRefusal(result)
      ? inTenant(attempted.principal.tenantId, (tx) => withRefusal(tx, attempted, result))
      : result;
  return {
    decide: async (input, signer) => {
      const { approvalId, grant, principal } = input;
      const read = decisionReading(approvalId, { countsGrants: grant !== undefined });
      const sealer = signer && sealing(signer);
      const result = await judgingFor(principal.tenantId)(read, (seen) => judgeDecision(seen, input, sealer));
      return logged({ attempt: "decision", ...input }, result);
    },
    takeBack: async (input) => {
      const { approvalId, principal } = input;
      const read = decisionReading(approvalId, { countsGrants: false });
      const result = await judgingFor(principal.tenantId)(read, (seen) => judgeTakeBack(seen, input));
      return logged({ attempt: "taking_back", ...input }, result);
    },
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
