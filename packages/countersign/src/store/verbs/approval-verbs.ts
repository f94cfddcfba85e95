import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import { judgeAssignment } from "../approval/assign.js";
import { callAsSigned } from "../approval/call-as-signed.js";
import { judgeClaim } from "../approval/claim.js";
import { judgeDecision, readReplacement } from "../approval/decide.js";
import { judgeExtension } from "../approval/extend.js";
import { endOfClaimed, judgeFinish } from "../approval/finish.js";
import { judgeTakeBack } from "../approval/hold.js";
import { isRefusal, recordRefusal, withRefusal } from "../approval/refused-attempts.js";
import { judgeResolution } from "../approval/resolve-interrupted.js";
import { judgeSnooze } from "../approval/snooze.js";
import { setViewing } from "../approval/viewers.js";
import { callReading } from "../call-seen.js";
import { type DecisionSeen, decisionReading } from "../decision-seen.js";
import { trailOf } from "../evidence/read-trail.js";
import { sealing } from "../evidence/sealing.js";
import type { ApprovalPort, Attempted } from "../ports/approval-port.js";
import { readApproval } from "../rows/read-approval.js";
import type { Scopes } from "../scopes.js";
import type { Judgement } from "../verb.js";

/** Decides, assigns, claims and ends approvals. */
export function approvalVerbs({ inTenant, reading, judging, judgingFor }: Scopes): ApprovalPort {
  const logged = <Result extends { outcome: string; approval?: Approval }>(
    attempted: Attempted,
    result: Result,
  ): Result | Promise<Result> =>
    isRefusal(result)
      ? inTenant(attempted.principal.tenantId, (tx) => withRefusal(tx, attempted, result))
      : result;
  /** What a person does about a call that waits. */
  const acting = <Result>(
    { approvalId, principal }: { approvalId: string; principal: Principal },
    judge: (seen: DecisionSeen | undefined) => Judgement<Result> | Promise<Judgement<Result>>,
  ) => judgingFor(principal.tenantId)(decisionReading(approvalId, { countsGrants: false }), judge);
  return {
    decide: async (input, signer) => {
      const { approvalId, grant, principal } = input;
      const read = decisionReading(approvalId, { countsGrants: grant !== undefined });
      const sealer = signer && sealing(signer);
      const result = await judgingFor(principal.tenantId)(read, (seen) => judgeDecision(seen, input, sealer));
      return logged({ attempt: "decision", ...input }, result);
    },
    takeBack: async (input) => {
      const result = await acting(input, (seen) => judgeTakeBack(seen, input));
      return logged({ attempt: "taking_back", ...input }, result);
    },
    recordRefusal: (refusal) => inTenant(refusal.principal.tenantId, (tx) => recordRefusal(tx, refusal)),
    assign: async (input, signer) => {
      const sealer = signer && sealing(signer);
      const result = await acting(input, (seen) => judgeAssignment(seen, input, sealer));
      return logged({ attempt: "assignment", ...input }, result);
    },
    setViewing: (input) => inTenant(input.principal.tenantId, (tx) => setViewing(tx, input)),
    snooze: (input) => acting(input, (seen) => judgeSnooze(seen, input)),
    extend: async (input) => {
      const result = await acting(input, (seen) => judgeExtension(seen, input));
      return logged({ attempt: "extension", ...input }, result);
    },
    resolve: async (input, signer) => {
      const { approvalId, principal, outcome } = input;
      const sealer = signer && sealing(signer);
      const result = await judgingFor(principal.tenantId)(callReading(approvalId), (seen) =>
        judgeResolution(seen, input, sealer),
      );
      return logged({ attempt: "resolution", type: outcome, ...input }, result);
    },
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
