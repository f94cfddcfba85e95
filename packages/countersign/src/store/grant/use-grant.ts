import { grantScopes } from "@countersign/policy/internal/policy/rules/rule";
import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { and, asc, count, desc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { amountsOf, type OverBudget } from "../../approval/budget.js";
import { mayStandFor, scopeIdOf } from "../../approval/grant.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { checkGrant } from "../../evidence/grant-proof.js";
import { builtOnce, type ValueOf } from "../built-once.js";
import { type Session, together } from "../database.js";
import type { Proposal, ProposedCall } from "../ports/request-port.js";
import { auditEntries, grants } from "../schema.js";
import { isLive } from "./is-live.js";
import { overBudgetOf } from "./spend-budget.js";

/** The person whose grant approved a call, and the grant. */
export interface UsedGrant {
  id: string;
  grantedBy: string;
  grantedRoles: string[];
  /** What the call spends of its budget; `null` without one. */
  amount: number | null;
}

/** The grant that covers a new call, or the budget into which it does not fit. */
export type GrantUse = { grant: UsedGrant } | { grant: undefined; overBudget: OverBudget | undefined };

export type GrantRow = typeof grants.$inferSelect;

/**
 * The grants that may cover a new call, in the order in which they are used: a rerun, then the narrowest first (exact
 * arguments before a condition before any, a thread before a user before the team), then one with limited uses, then the
 * one that expires first.
 */
export async function findGrants(
  session: Session,
  proposal: Proposal,
  call: ProposedCall,
): Promise<GrantRow[]> {
  const { tenantId, threadId, requesterId } = proposal;
  const { grantable, quorum } = call.terms;
  if (call.verdict !== "ask" || quorum > 1) return [];
  const { toolName, toolVersion } = call;
  const inputHash = hashCanonical(JSON.parse(call.inputJson));
  return covering(session, {
    ...{ tenantId, toolName, toolVersion, inputHash },
    threadId: scopeIdOf({ threadId, requesterId }, "thread"),
    userId: scopeIdOf({ threadId, requesterId }, "user"),
    grantable: JSON.stringify(grantable),
  });
}

const covering = builtOnce(
  (
    session,
    value: ValueOf<
      "tenantId" | "toolName" | "toolVersion" | "inputHash" | "threadId" | "userId" | "grantable"
    >,
  ) =>
    session.db
      .select()
      .from(grants)
      .where(
        and(
          eq(grants.tenantId, value("tenantId")),
          eq(grants.toolName, value("toolName")),
          eq(grants.toolVersion, value("toolVersion")),
          isLive(session),
          or(
            eq(grants.scope, "team"),
            and(eq(grants.scope, "thread"), eq(grants.scopeId, value("threadId"))),
            and(eq(grants.scope, "user"), eq(grants.scopeId, value("userId"))),
          ),
          // An interrupted call had been approved, so its rerun does not depend on the rule.
          or(grants.rerun, sql`${value("grantable")}::jsonb ? ${grants.scope}`),
          or(isNull(grants.inputHash), eq(grants.inputHash, value("inputHash"))),
        ),
      )
      .orderBy(
        // What may run once more has been paid for.
        desc(grants.rerun),
        sql`${grants.inputHash} is null`,
        sql`${grants.condition} is null`,
        sql`array_position(array['${sql.raw(grantScopes.join("','"))}'], ${grants.scope})`,
        sql`${grants.usesLeft} is null`,
        asc(grants.expiresAt),
        asc(grants.id),
      ),
);

/** Uses one of the grants that were found for a new call. */
export async function useGrant(
  session: Session,
  proposal: Proposal,
  call: ProposedCall,
  found: readonly GrantRow[],
  usedHere: readonly UsedGrant[],
  reader: EvidenceReader | undefined,
): Promise<GrantUse> {
  const { db } = session;
  const { requestId, threadId, requesterId, meetsCondition } = proposal;
  const granted = { ...call, threadId };
  const amountIn = amountsOf(call);
  let overBudget: OverBudget | undefined;
  for (const grant of found) {
    const { id, grantedBy, grantedRoles, condition, authorSeesAll, rerun, budget } = grant;
    // A rerun is for exactly that call.
    if (rerun && grant.inputHash === null) continue;
    if (!mayStandFor({ ...call, requesterId }, { id: grantedBy, roles: grantedRoles })) continue;
    if (condition !== null && !meetsCondition?.(condition, granted, authorSeesAll)) continue;
    const amount = budget === null ? null : amountIn(budget);
    if (amount === undefined) continue;
    const here = usedHere.filter((used) => used.id === id);
    if (reader && !(await isProven(session, grant, proposal, here.length, reader))) continue;
    if (budget !== null && amount !== null) {
      const before = { requestId, here: here.map((used) => used.amount ?? 0), byLog: reader !== undefined };
      const over = await overBudgetOf(session, { id, budget }, amount, before);
      overBudget ??= over;
      if (over) continue;
    }
    const taken = await db
      .update(grants)
      .set({ usesLeft: sql`${grants.usesLeft} - 1`, usesTaken: sql`${grants.usesTaken} + 1` })
      .where(and(eq(grants.id, id), isLive(session)))
      .returning({ id: grants.id });
    if (taken.length > 0) return { grant: { id, grantedBy, grantedRoles, amount } };
  }
  return { grant: undefined, overBudget };
}

/** The entries that say whether a grant stands. */
const grantTypes = ["grant.created", "approval.resolved", "grant.revoked"] as const;

/** {@link standsByLog}, by the types of the entries that name the grant. */
export function standsBy(types: readonly string[]): boolean {
  return types.some((type) => grantTypes.some((known) => known === type)) && !types.includes("grant.revoked");
}

/** True if the log has the grant, and not its revocation, whatever the row says. */
async function standsByLog({ db }: Session, grant: GrantRow): Promise<boolean> {
  const entries = await db
    .selectDistinct({ type: auditEntries.type })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.tenantId, grant.tenantId),
        eq(auditEntries.approvalId, grant.approvalId),
        inArray(auditEntries.type, grantTypes),
        sql`${auditEntries.data} ->> 'grantId' = ${grant.id}`,
      ),
    );
  return standsBy(entries.map(({ type }) => type));
}

/** How many calls the grant approved according to the log, without those of the current transaction. */
async function usesByLog({ db }: Session, { tenantId, id }: GrantRow): Promise<number> {
  const [found] = await db
    .select({ uses: count() })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.tenantId, tenantId),
        eq(auditEntries.type, "approval.granted"),
        sql`(${auditEntries.data} ->> 'grantId') = ${id}`,
      ),
    );
  return found?.uses ?? 0;
}

/**
 * True if a grant's row is what was signed, and nothing in the log has ended it. Otherwise write access would be enough
 * to write a grant, undo its revocation, or renew its uses.
 */
async function isProven(
  session: Session,
  grant: GrantRow,
  { requesterId }: Proposal,
  usedHere: number,
  reader: EvidenceReader,
): Promise<boolean> {
  const signed = await checkGrant(grant, reader);
  if (!signed.ok) return false;
  const { uses, rerun, requesterId: rerunFor } = signed.claims;
  if (rerun && rerunFor !== requesterId) return false;
  const [stands, used] = await together([
    standsByLog(session, grant),
    uses === null ? 0 : usesByLog(session, grant),
  ]);
  return stands && (uses === null || used + usedHere < uses);
}
