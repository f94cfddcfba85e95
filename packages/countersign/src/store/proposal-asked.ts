import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { externalToolVersion } from "../approval/external-tool-version.js";
import { scopeIdOf } from "../approval/grant.js";
import type { CountQuery, Proposal, ProposedCall } from "./ports/request-port.js";

/** Milliseconds for which denials and withdrawals of a program's calls count: outside of AgentKit, it has no runs. */
const programMemoryMs = 60 * 60_000;

/** About what a proposal is judged. */
export interface Asked
  extends Pick<Proposal, "requestId" | "tenantId" | "threadId" | "runId" | "requesterId"> {
  isProgram: boolean;
  memoryMs: number;
  /** Whether grants are counted by the log as well. */
  byLog: boolean;
  /** `null`: asking has no limits. */
  denialsInARow: number | null;
  /** The calls that would ask people, in their order. */
  calls: { id: string; hash: string; grant: GrantWanted | null }[];
  counts: readonly CountQuery[];
  /** The calls to undo. */
  undoes: string[];
}

/** What a grant must cover. */
export interface GrantWanted extends Pick<ProposedCall, "toolName" | "toolVersion"> {
  inputHash: string;
  threadId: string | null;
  userId: string | null;
  grantable: readonly string[];
}

/** What must be the same when a proposal is written. */
export interface ProposalFacts {
  exists: boolean;
  /** How its run has ended. */
  end: WithdrawalCause | null;
  /** An attempt of the same step was allowed to run its calls. */
  isAllowed: boolean;
  /** People denied the last calls. */
  isDiscouraged: boolean;
  /** Of each of `Asked.calls`: the same call that waits already. */
  twins: (string | null)[];
  /** Of each of `Asked.calls`: the grants that may cover it, in the order in which they are used. */
  grants: string[][];
}

/** Numbers of waiting calls. */
export interface Waiting {
  tenant: number;
  run: number;
  thread: number;
  requester: number;
}

/** True if a person would have to act. */
export function asksPeople({ verdict }: Pick<ProposedCall, "verdict">): boolean {
  return verdict === "ask" || verdict === "manual";
}

/** How the run of a proposal has ended. One that counted as lost is alive after all. */
export function endedBy({ end }: ProposalFacts): WithdrawalCause | undefined {
  return end === null || end === "run_lost" ? undefined : end;
}

/** @param newCalls With the hashes by which equal calls are found. */
export function askedOf(
  proposal: Proposal,
  newCalls: readonly { proposed: ProposedCall; fields: { id: string; callHash: string } }[],
  byLog: boolean,
): Asked {
  const { requestId, tenantId, threadId, runId, requesterId, calls, limits, counts } = proposal;
  return {
    ...{ requestId, tenantId, threadId, runId, requesterId, byLog },
    isProgram: calls.some(({ toolVersion }) => toolVersion === externalToolVersion),
    memoryMs: programMemoryMs,
    denialsInARow: calls.some(asksPeople) && limits ? limits.denialsInARow : null,
    calls: newCalls
      .filter(({ proposed }) => asksPeople(proposed))
      .map(({ proposed, fields: { id, callHash: hash } }) => ({
        ...{ id, hash, grant: grantWanted(proposal, proposed) },
      })),
    counts: (counts?.queries ?? []).map(({ counter, windowMs }) => ({ counter, windowMs })),
    undoes: calls.flatMap(({ terms }) => terms.undoes?.approvalId ?? []),
  };
}

/** `null` if no grant may cover the call. */
function grantWanted(place: Proposal, { verdict, terms, ...call }: ProposedCall): GrantWanted | null {
  if (verdict !== "ask" || terms.quorum > 1) return null;
  return {
    toolName: call.toolName,
    toolVersion: call.toolVersion,
    inputHash: hashCanonical(JSON.parse(call.inputJson)),
    threadId: scopeIdOf(place, "thread"),
    userId: scopeIdOf(place, "user"),
    grantable: terms.grantable,
  };
}
