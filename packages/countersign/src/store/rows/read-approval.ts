import { isStorable } from "@countersign/policy/internal/shared/storable-text";
import { and, asc, eq, gt, inArray, isNull } from "drizzle-orm";
import type { Approval, Snooze, Viewer, Vote } from "../../approval/approval.js";
import { allTerms } from "../../approval/default-terms.js";
import { severalDecide } from "../../approval/quorum.js";
import { builtOnce, type ValueOf } from "../built-once.js";
import { type Session, together } from "../database.js";
import { approvals, snoozes, viewers, votes } from "../schema.js";
import { approvalFromRow } from "./approval-row.js";

type Row = typeof approvals.$inferSelect;

export async function readApproval(
  session: Session,
  tenantId: string,
  approvalId: string,
): Promise<Approval | undefined> {
  // The database refuses such an id, and has no row with it.
  if (!isStorable(approvalId)) return undefined;
  const [approval, looking, aside] = await together([
    readVoted(session, tenantId, approvalId),
    viewersOf(session, [approvalId]),
    snoozesOf(session, [approvalId]),
  ]);
  if (approval?.status !== "pending") return approval;
  const { id } = approval;
  return { ...approval, viewers: looking.get(id) ?? [], snoozes: aside.get(id) ?? [] };
}

/** An approval with its votes, without its viewers and snoozes. */
async function readVoted(
  session: Session,
  tenantId: string,
  approvalId: string,
): Promise<Approval | undefined> {
  const [row] = await rowOf(session, { tenantId, approvalId });
  if (!row) return undefined;
  const cast = await votesOf(session, isDecidedBySeveral(row) ? [row.id] : []);
  return approvalFromRow(row, { votes: cast.get(row.id) ?? [] });
}

const rowOf = builtOnce(({ db }, value: ValueOf<"tenantId" | "approvalId">) =>
  db
    .select()
    .from(approvals)
    .where(and(eq(approvals.id, value("approvalId")), eq(approvals.tenantId, value("tenantId")))),
);

/** The approvals in rows, with the votes on those that several people decide, and the viewers and snoozes of pending ones. */
export async function withPeople(session: Session, rows: readonly Row[]): Promise<Approval[]> {
  const pending = idsOf(rows.filter((row) => row.status === "pending"));
  const [cast, looking, aside] = await together([
    votesOf(session, idsOf(rows.filter(isDecidedBySeveral))),
    viewersOf(session, pending),
    snoozesOf(session, pending),
  ]);
  return rows.map((row) =>
    approvalFromRow(row, {
      votes: cast.get(row.id) ?? [],
      viewers: looking.get(row.id) ?? [],
      snoozes: aside.get(row.id) ?? [],
    }),
  );
}

function isDecidedBySeveral({ terms }: Row): boolean {
  return severalDecide(allTerms(terms));
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** The votes on some approvals, in the order in which they were cast. */
async function votesOf({ db }: Session, approvalIds: readonly string[]): Promise<Map<string, Vote[]>> {
  if (approvalIds.length === 0) return new Map();
  const rows = await db
    .select()
    .from(votes)
    .where(and(inArray(votes.approvalId, [...approvalIds]), isNull(votes.takenBackAt)))
    .orderBy(asc(votes.votedAt), asc(votes.principalId));
  return byApproval(rows, voteOf);
}

/** A vote as people see it, without its signature. */
export function voteOf(row: typeof votes.$inferSelect): Vote {
  const { principalId, type, roles, onBehalfOf, reason, votedAt } = row;
  return { principalId, type, roles, onBehalfOf, reason, votedAt };
}

async function viewersOf(
  { db, now }: Session,
  approvalIds: readonly string[],
): Promise<Map<string, Viewer[]>> {
  if (approvalIds.length === 0) return new Map();
  const rows = await db
    .select()
    .from(viewers)
    .where(and(inArray(viewers.approvalId, [...approvalIds]), gt(viewers.until, now)))
    .orderBy(asc(viewers.principalId));
  return byApproval(rows, ({ principalId, displayName, until }) => ({ principalId, displayName, until }));
}

async function snoozesOf(
  { db, now }: Session,
  approvalIds: readonly string[],
): Promise<Map<string, Snooze[]>> {
  if (approvalIds.length === 0) return new Map();
  const rows = await db
    .select()
    .from(snoozes)
    .where(and(inArray(snoozes.approvalId, [...approvalIds]), gt(snoozes.until, now)));
  return byApproval(rows, ({ principalId, until }) => ({ principalId, until }));
}

function byApproval<Row extends { approvalId: string }, Shown>(
  rows: readonly Row[],
  shown: (row: Row) => Shown,
): Map<string, Shown[]> {
  const found = new Map<string, Shown[]>();
  for (const row of rows) {
    const others = found.get(row.approvalId);
    if (others) others.push(shown(row));
    else found.set(row.approvalId, [shown(row)]);
  }
  return found;
}
