import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../approval/approval.js";
import { createEvidenceSigner } from "../evidence/evidence-signer.js";
import type { Stop } from "../stops/stop.js";
import { judgeDecision } from "../store/approval/decide.js";
import type { GrantRow, VoteRow } from "../store/call-seen.js";
import { validUntil } from "../store/changes.js";
import { type DecisionSeen, decisionReading } from "../store/decision-seen.js";
import { type Sealer, sealing } from "../store/evidence/sealing.js";
import type { TrailEntry } from "../store/evidence/trail.js";
import type { DecideInput, DecideResult } from "../store/ports/approval-port.js";
import type { Judgement } from "../store/verb.js";
import { someApproval } from "./some-approval.js";
import { jsonRow, readAt, readPlus, rowOf } from "./some-call-seen.js";
import { type SomeCall, someRequestJson, type someRequestRow } from "./some-request-seen.js";

/** What is special about a call that is decided, its request and what else is read with it. */
export interface SomeDecision {
  /** The call `apr_1`. @default {@link someApproval} */
  approval?: Approval;
  /** Columns of its row that no approval has. */
  row?: SomeCall;
  /** The other calls of its request: `apr_2` and so on. */
  siblings?: readonly SomeCall[];
  request?: Parameters<typeof someRequestRow>[0];
  trail?: readonly TrailEntry[];
  votes?: readonly VoteRow[];
  viewers?: Approval["viewers"];
  snoozes?: Approval["snoozes"];
  stops?: readonly Stop[];
  grants?: readonly GrantRow[];
  liveGrants?: number;
}

/** What is read of a decision about the call `apr_1`. */
export function someDecisionSeen({
  approval = someApproval(),
  row = {},
  siblings = [],
  request = {},
  ...parts
}: SomeDecision = {}): DecisionSeen {
  const { trail = [], votes = [], viewers = [], snoozes = [], stops = [], grants = [], liveGrants } = parts;
  const rows = (all: readonly object[]) => (all.length === 0 ? null : all.map((each) => jsonRow(each)));
  const seen = decisionReading("apr_1", { countsGrants: false }).parse({
    request: someRequestJson([{ ...rowOf(approval), ...row, trail }, ...siblings], request),
    votes: rows(votes),
    viewers: rows(viewers),
    snoozes: rows(snoozes),
    stops: rows(stops),
    grants: rows(grants),
    liveGrants: liveGrants ?? null,
  });
  if (!seen) throw new Error("there is no call apr_1");
  return seen;
}

export const ada: Principal = { id: "ada", tenantId: "acme", roles: ["lead"] };
export const ben: Principal = { id: "ben", tenantId: "acme", roles: ["support"] };

/** For a call that people with these roles may decide. */
export const approvedBy = (...roles: string[]) => ({ approvers: { roles, ids: [] }, proposedRoles: roles });

/** A vote that is not signed, with some fields replaced. */
export function someVote(principalId: string, parts: Partial<VoteRow> = {}): VoteRow {
  return {
    ...{ approvalId: "apr_1", tenantId: "acme", principalId, type: "approve", roles: [], reason: null },
    ...{
      onBehalfOf: null,
      onBehalfOfRoles: null,
      votedAt: readPlus(-60_000),
      token: null,
      takenBackAt: null,
    },
    ...parts,
  };
}

/** Signs what a person decides. Evidence is valid for an hour. */
export const sealer: Sealer = {
  ...sealing(createEvidenceSigner("a-secret-of-at-least-thirty-two-bytes")),
  ttlMs: 3_600_000,
};

/** What becomes of a decision about a call, by default Ada's approval. */
export function deciding(
  approval: Approval,
  input: Partial<DecideInput> = {},
  seen: Omit<SomeDecision, "approval"> = {},
  seals?: Sealer,
): Promise<Judgement<DecideResult>> {
  return judgeDecision(
    someDecisionSeen({ approval, ...seen }),
    {
      approvalId: approval.id,
      principal: ada,
      type: "approve",
      digest: approval.digest,
      reason: null,
      ...input,
    },
    seals,
  );
}

/** The `changes` of what is written as it was read, and ends no call. */
export const writtenOpen = {
  ...{ tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt) },
  request: { id: "req_1", version: "600", set: {} },
};

/** The same of a decision that ends the last open call, and wakes its run. */
export const writtenNow = {
  ...writtenOpen,
  request: { ...writtenOpen.request, set: { wakeUp: "queued", retrySeconds: 5 }, isComplete: true },
};
