import type { ApprovalTerms } from "../approval/approval.js";
import type { CallRow } from "../store/call-seen.js";
import type { NewRow } from "../store/changes.js";
import type { Sealer } from "../store/evidence/sealing.js";
import { grantRow } from "../store/grant/write-grant.js";
import type { Proposal, ProposalLimits, ProposedCall } from "../store/ports/request-port.js";
import type { Asked, ProposalFacts, Waiting } from "../store/proposal-asked.js";
import {
  type CoveringGrant,
  nothingSeen,
  type ProposalSeen,
  proposalReading,
} from "../store/proposal-seen.js";
import { judgeProposal, type Prepared, type Proposed, prepare } from "../store/request/propose.js";
import type { Judgement } from "../store/verb.js";
import { someApproval } from "./some-approval.js";
import { jsonRow, readAt, someGrant } from "./some-call-seen.js";

/** What is special about a call that is proposed, and about its terms. */
export type SomeProposedCall = Partial<Omit<ProposedCall, "terms">> & { terms?: Partial<ApprovalTerms> };

/** What is special about a proposal, and about its calls `apr_1`, `apr_2` and so on. @default one call */
export interface SomeProposal extends Omit<Partial<Proposal>, "calls"> {
  calls?: readonly SomeProposedCall[];
}

/** A call of the tool `issue_refund` that people are to be asked for, with some parts replaced. */
function someProposedCall({ terms, ...parts }: SomeProposedCall = {}, position = 0): ProposedCall {
  const { toolName, toolVersion, inputJson, inputSchemaJson, policyContext, verdict, ...rest } = someApproval(
    {},
    terms,
  );
  return {
    ...{ id: `apr_${position + 1}`, position, toolCallId: `call_${position + 1}` },
    ...{ toolName, toolVersion, inputJson, inputSchemaJson, policyContext, verdict },
    ...{ summary: rest.summary, risk: rest.risk, terms: rest.terms, reason: rest.reason },
    ...{ approvers: rest.approvers, policyVersion: rest.policyVersion, timeoutMs: rest.timeoutMs },
    ...parts,
  };
}

/** What a run in a thread proposes for Eve, with some parts replaced. */
export function someProposal({ calls = [{}], ...parts }: SomeProposal = {}): Proposal {
  return {
    ...{ requestId: "req_1", tenantId: "acme", threadId: "thr_1", runId: "run_1", appId: "app" },
    ...{ agentName: "support", requesterId: "eve" },
    ...parts,
    calls: calls.map(someProposedCall),
  };
}

/** What is special about that which is read of a proposal. @default nothing is there that would matter */
export interface SomeProposalSeen {
  facts?: Partial<ProposalFacts>;
  waiting?: Partial<Waiting>;
  /** Each covers every call, in this order, unless `facts` says otherwise. */
  grants?: readonly CoveringGrant[];
  counted?: readonly string[];
  undone?: readonly { row: CallRow; version: string; undo: CallRow | null }[];
  /** The rows of the request, if it exists. */
  stored?: readonly CallRow[];
}

/** What is read of a proposal. */
function someProposalSeen(
  asked: Asked,
  { facts, waiting, grants = [], counted = [], undone = [], stored = [] }: SomeProposalSeen = {},
): ProposalSeen {
  const nothing = nothingSeen(asked);
  const ids = grants.map(({ row }) => row.id);
  return proposalReading(asked).parse({
    now: readAt.getTime(),
    facts: { ...nothing.facts, grants: asked.calls.map(() => ids), ...facts },
    waiting: { ...nothing.waiting, ...waiting },
    grants: grants.map(({ row, entries, ...grant }) => ({
      ...grant,
      row: jsonRow(row),
      entries: [...entries],
    })),
    counted: [...counted],
    undone: undone.map(({ row, undo, version }) => ({
      row: jsonRow(row),
      version,
      undo: undo && jsonRow(undo),
    })),
    calls: stored.map((row) => jsonRow(row)),
  });
}

/** What becomes of a proposal. */
export async function proposing(
  parts: SomeProposal = {},
  seen: SomeProposalSeen = {},
  seals?: Sealer,
): Promise<Judgement<Proposed> & { prepared: Prepared; calls: Record<string, unknown>[] }> {
  const prepared = prepare(someProposal(parts), { byLog: seals !== undefined });
  const judgement = await judgeProposal(someProposalSeen(prepared.asked, seen), prepared, seals);
  return { ...judgement, prepared, calls: rowsOf(judgement.changes?.proposal?.calls) };
}

const rowsOf = (calls: readonly NewRow[] = []) => calls.map(({ row }) => ({ ...row }));

/** Terms with which any grant may cover a call. */
export const grantable: Partial<ApprovalTerms> = { grantable: ["thread", "user", "team"] };

/** A grant of Ada for the team that is not signed, and of which nothing is used, with some parts replaced. */
export function someCovering(
  row: Parameters<typeof someGrant>[0] = {},
  parts: Partial<Omit<CoveringGrant, "row">> = {},
): CoveringGrant {
  return { row: someGrant(row), used: "0", loggedUses: 0, entries: ["grant.created"], ...parts };
}

/** The same with a signature, for this many calls. */
export async function signedCovering(
  uses: number | null,
  sealer: Sealer,
  row: Parameters<typeof someGrant>[0] = {},
  parts: Partial<Omit<CoveringGrant, "row">> = {},
): Promise<CoveringGrant> {
  const { id, scope, scopeId, inputHash, condition, authorSeesAll, rerun, budget, ...rest } = someGrant(row);
  const lifetimeMs = rest.expiresAt.getTime() - rest.createdAt.getTime();
  const signed = await grantRow(
    rest.createdAt,
    someApproval({ id: rest.approvalId, requesterId: "eve" }),
    { id: rest.grantedBy, tenantId: "acme", roles: rest.grantedRoles },
    { id, scope, scopeId, inputHash, condition, authorSeesAll, rerun, lifetimeMs, uses, budget },
    sealer,
  );
  return someCovering({ ...signed, usesLeft: uses }, parts);
}

/** Far more than any test has. */
const manyPending = {
  ...{ pendingPerRun: 99, pendingPerThread: 99, pendingPerRequester: 99, pendingPerTenant: 99 },
};

/** Limits that nothing reaches, with some replaced. */
export function someLimits(parts: Partial<ProposalLimits> = {}): ProposalLimits {
  return { ...manyPending, denialsInARow: 5, ...parts };
}
