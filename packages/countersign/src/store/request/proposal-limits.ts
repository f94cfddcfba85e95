import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { sql } from "drizzle-orm";
import type { OverBudget } from "../../approval/budget.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { oneRow, type Session } from "../database.js";
import { GrantUses, type UsedGrant } from "../grant/use-grant.js";
import type { Proposal, ProposedCall } from "../ports/request-port.js";
import { type Asked, asksPeople, endedBy, type Waiting } from "../proposal-asked.js";
import type { ProposalSeen } from "../proposal-seen.js";

/** The outcome for a call beside its verdict: unchanged, covered by a grant, or refused without asking. */
export type Admission =
  | { kind: "as_judged"; overBudget?: OverBudget }
  | { kind: "granted"; grant: UsedGrant }
  | { kind: "refused"; cause: WithdrawalCause; duplicateOf: string | null };

/**
 * Makes the proposals of a tenant wait for each other until the commit. What is counted is only added to in turn. Take
 * this lock before any other: its holder then waits for rows of grants and for the audit log's head, and their holders
 * never wait for it.
 */
export async function takeTurn({ db }: Session, tenantId: string): Promise<void> {
  const name = `countersign:propose:${tenantId}`;
  await db.select({ turn: sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))` }).from(oneRow);
}

/** Decides for each call in turn whether people are asked. */
export class Admissions {
  readonly uses: GrantUses;
  /** The calls of this proposal that will wait, by their hashes. */
  private readonly admitted = new Map<string, string>();

  constructor(
    private readonly seen: ProposalSeen,
    private readonly prepared: { proposal: Proposal; asked: Asked },
    reader: EvidenceReader | undefined,
  ) {
    this.uses = new GrantUses(seen, prepared.proposal, reader);
  }

  async admit(call: ProposedCall): Promise<Admission> {
    const { twins, grants, isDiscouraged } = this.seen.facts;
    const cause = endedBy(this.seen.facts);
    if (cause && call.verdict !== "deny") return { kind: "refused", cause, duplicateOf: null };
    if (!asksPeople(call)) return { kind: "as_judged" };
    const { calls } = this.prepared.asked;
    const place = calls.findIndex(({ id }) => id === call.id);
    const { hash = "", grant: wanted = null } = calls[place] ?? {};
    const duplicateOf = this.admitted.get(hash) ?? twins[place];
    if (duplicateOf) return { kind: "refused", cause: "duplicate_call", duplicateOf };
    const use = await this.uses.use(call, wanted, grants[place] ?? []);
    if (use.grant) return { kind: "granted", grant: use.grant };
    if (isDiscouraged) return { kind: "refused", cause: "too_many_denials", duplicateOf: null };
    if (this.isFull()) return { kind: "refused", cause: "too_many_pending", duplicateOf: null };
    this.admitted.set(hash, call.id);
    return { kind: "as_judged", ...(use.overBudget && { overBudget: use.overBudget }) };
  }

  /** The highest numbers of waiting calls beside which all that were admitted may wait; `undefined` without limits. */
  get room(): Waiting | undefined {
    const { limits } = this.prepared.proposal;
    if (!limits || this.admitted.size === 0) return undefined;
    return {
      tenant: limits.pendingPerTenant - this.admitted.size,
      run: limits.pendingPerRun - this.admitted.size,
      thread: limits.pendingPerThread - this.admitted.size,
      requester: limits.pendingPerRequester - this.admitted.size,
    };
  }

  private isFull(): boolean {
    const { limits } = this.prepared.proposal;
    if (!limits) return false;
    const { waiting } = this.seen;
    const more = this.admitted.size;
    return (
      waiting.run + more >= limits.pendingPerRun ||
      waiting.thread + more >= limits.pendingPerThread ||
      waiting.requester + more >= limits.pendingPerRequester ||
      waiting.tenant + more >= limits.pendingPerTenant
    );
  }
}
