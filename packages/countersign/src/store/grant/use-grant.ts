import { amountsOf, type OverBudget } from "../../approval/budget.js";
import { mayStandFor } from "../../approval/grant.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { checkGrant } from "../../evidence/grant-proof.js";
import type { GrantRow } from "../call-seen.js";
import type { Changes, Taking } from "../changes.js";
import type { Proposal, ProposedCall } from "../ports/request-port.js";
import type { GrantWanted } from "../proposal-asked.js";
import type { CoveringGrant, ProposalSeen } from "../proposal-seen.js";
import { overBudgetOf, reservationOf } from "./spend-budget.js";

/** The person whose grant approved a call, and the grant. */
export interface UsedGrant {
  id: string;
  grantedBy: string;
  grantedRoles: string[];
  /** What the call spends of its budget; `null` without one. */
  amount: number | null;
}

/** The grant that covers a new call, or the budget into which it does not fit. */
type GrantUse = { grant: UsedGrant } | { grant: undefined; overBudget: OverBudget | undefined };

/** What the calls of one proposal use of grants. */
export class GrantUses {
  private readonly taken = new Map<string, { row: GrantRow; amounts: string[]; taking: Taking }>();

  constructor(
    private readonly seen: ProposalSeen,
    private readonly proposal: Proposal,
    private readonly reader: EvidenceReader | undefined,
  ) {}

  /**
   * Uses one of the grants that may cover a call.
   *
   * @param wanted `null` if none may.
   * @param ids In the order in which they are tried.
   */
  async use(call: ProposedCall, wanted: GrantWanted | null, ids: readonly string[]): Promise<GrantUse> {
    const { threadId, requesterId, meetsCondition } = this.proposal;
    const granted = { ...call, threadId };
    const amountIn = amountsOf(call);
    let overBudget: OverBudget | undefined;
    for (const id of ids) {
      const given = this.seen.grants.find(({ row }) => row.id === id);
      if (!given || !wanted || !this.covers(given.row, wanted)) continue;
      const { grantedBy, grantedRoles, condition, authorSeesAll, rerun, budget, inputHash } = given.row;
      // A rerun is for exactly that call.
      if (rerun && inputHash === null) continue;
      if (!mayStandFor({ ...call, requesterId }, { id: grantedBy, roles: grantedRoles })) continue;
      if (condition !== null && !meetsCondition?.(condition, granted, authorSeesAll)) continue;
      const amount = budget === null ? null : amountIn(budget);
      if (amount === undefined) continue;
      const uses = await this.usesOf(given);
      if (uses === undefined) continue;
      if (budget !== null && amount !== null) {
        const over = overBudgetOf({ id, budget }, amount, [given.used ?? "NaN", ...this.amountsOf(id)]);
        overBudget ??= over;
        if (over) continue;
      }
      this.take(given, uses, amount);
      return { grant: { id, grantedBy, grantedRoles, amount } };
    }
    return { grant: undefined, overBudget };
  }

  /** What is to be written, and compared: many calls use a grant at once. In the order in which all lock them. */
  get changes(): NonNullable<Changes["grants"]> {
    return [...this.taken.values()]
      .map(({ row, taking }) => ({ ...judgedGrant(row), ...taking }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** When the grants that were used expire: until then, their rows say what was signed. */
  get ends(): Date[] {
    return [...this.taken.values()].map(({ row }) => row.expiresAt);
  }

  /**
   * Whether a grant covers a call by its row as it was read, which is what was signed. The database has chosen it a moment
   * before, and somebody with write access could have changed the row in between, and back.
   */
  private covers(row: GrantRow, wanted: GrantWanted): boolean {
    const { scope, scopeId, rerun, inputHash, revokedAt, expiresAt } = row;
    const { now } = this.seen;
    const place = { thread: wanted.threadId, user: wanted.userId, team: null }[scope];
    return (
      row.tenantId === this.proposal.tenantId &&
      row.toolName === wanted.toolName &&
      row.toolVersion === wanted.toolVersion &&
      (scope === "team" || (place !== null && scopeId === place)) &&
      (rerun || wanted.grantable.includes(scope)) &&
      (inputHash === null || inputHash === wanted.inputHash) &&
      revokedAt === null &&
      now !== undefined &&
      expiresAt > now
    );
  }

  private amountsOf(id: string): readonly string[] {
    return this.taken.get(id)?.amounts ?? [];
  }

  /**
   * How many calls a grant may approve by the log; `null`: any number. `undefined` if it may approve none more, if its row is not what
   * was signed, or something in the log has ended it. Otherwise write access would be enough to write a grant, undo its
   * revocation, or renew its uses.
   */
  private async usesOf({ row, entries, loggedUses }: CoveringGrant): Promise<number | null | undefined> {
    const here = this.taken.get(row.id)?.taking.take ?? 0;
    if (row.usesLeft !== null && row.usesLeft <= here) return undefined;
    if (!this.reader) return null;
    const signed = await checkGrant(row, this.reader);
    if (!signed.ok || !standsBy(entries)) return undefined;
    const { uses, rerun, requesterId: rerunFor } = signed.claims;
    if (rerun && rerunFor !== this.proposal.requesterId) return undefined;
    // Somebody may have made the row unlimited.
    return uses === null || (loggedUses !== null && loggedUses + here < uses) ? uses : undefined;
  }

  private take({ row }: CoveringGrant, uses: number | null, amount: number | null): void {
    const { id, budget } = row;
    const before = this.taken.get(id);
    const amounts = [...(before?.amounts ?? []), ...(amount === null ? [] : [String(amount)])];
    const reserved = budget && reservationOf(budget, amounts, this.reader !== undefined);
    const taking = { take: (before?.taking.take ?? 0) + 1, ...(uses !== null && { uses }), ...reserved };
    this.taken.set(id, { row, amounts, taking });
  }
}

/** What must still be so of a grant when it is used. */
export function judgedGrant({ id, tenantId, approvalId }: GrantRow) {
  return { id, tenantId, approvalId };
}

/** The entries that say whether a grant stands. */
const grantTypes = ["grant.created", "approval.resolved", "grant.revoked"] as const;

/** True if the log has the grant, and not its revocation, whatever its row says. By the types of the entries that name it. */
export function standsBy(types: readonly string[]): boolean {
  return types.some((type) => grantTypes.some((known) => known === type)) && !types.includes("grant.revoked");
}
