import { withSeals } from "../evidence/sealing.js";
import type { Scopes } from "../scopes.js";
import type { ApprovalPort } from "./approval-port.js";
import { assign } from "./assign.js";
import { claim, finish } from "./claim.js";
import { decide, readReplacement } from "./decide.js";
import { extend } from "./extend.js";
import { recordRefusal, withRefusal } from "./refused-attempts.js";
import { resolve } from "./resolve-interrupted.js";
import { setViewing } from "./viewers.js";

/** Decides, assigns, claims and ends approvals. */
export function approvalVerbs({ inTenant, asSystem, forTenant }: Scopes): ApprovalPort {
  return {
    decide: (input, signer) =>
      withSeals(forTenant(input.principal.tenantId), signer, async (tx, sealer) =>
        withRefusal(tx, { attempt: "decision", ...input }, await decide(tx, input, sealer)),
      ),
    recordRefusal: (refusal) => inTenant(refusal.principal.tenantId, (tx) => recordRefusal(tx, refusal)),
    assign: (input, signer) =>
      withSeals(forTenant(input.principal.tenantId), signer, async (tx, sealer) =>
        withRefusal(tx, { attempt: "assignment", ...input }, await assign(tx, input, sealer)),
      ),
    setViewing: (input) => inTenant(input.principal.tenantId, (tx) => setViewing(tx, input)),
    extend: (input) =>
      inTenant(input.principal.tenantId, async (tx) =>
        withRefusal(tx, { attempt: "extension", ...input }, await extend(tx, input)),
      ),
    resolve: (input, signer) =>
      withSeals(forTenant(input.principal.tenantId), signer, async (tx, sealer) => {
        const attempted = { attempt: "resolution", type: input.outcome, ...input } as const;
        return withRefusal(tx, attempted, await resolve(tx, input, sealer));
      }),
    readReplacement: (approvalId) => asSystem((tx) => readReplacement(tx, approvalId)),
    claim: (approvalId, handlerKind, check, reader) =>
      asSystem((tx) => claim(tx, approvalId, handlerKind, check, reader)),
    finish: (approvalId, end) => asSystem((tx) => finish(tx, approvalId, end)),
  };
}
