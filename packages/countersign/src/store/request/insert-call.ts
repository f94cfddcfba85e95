import { sql } from "drizzle-orm";
import { builtOnce, type ValueOf, valueFor } from "../built-once.js";
import type { Transaction } from "../database.js";
import { approvals } from "../schema.js";

type NewRow = typeof approvals.$inferInsert;

/** What a proposal writes of a call, besides the times. */
const written = [
  ...(["id", "tenantId", "requestId", "threadId", "runId", "agentName", "requesterId", "position"] as const),
  ...(["toolCallId", "toolName", "toolVersion", "inputJson", "inputSchemaJson", "digest", "nonce"] as const),
  ...([
    "callHash",
    "policyContext",
    "policyVersion",
    "status",
    "verdict",
    "summary",
    "risk",
    "terms",
  ] as const),
  ...(["reason", "approverRoles", "approverIds", "proposedRoles", "timeoutMs", "notify"] as const),
  ...(["decisionType", "decidedBy", "decidedRoles", "decisionReason", "grantId", "grantAmount"] as const),
  ...(["overBudget", "withdrawalCause", "duplicateOf", "awaitedEventId", "undoToken"] as const),
] satisfies (keyof NewRow)[];

type Written = (typeof written)[number];

/** A new call with its status. What is decided or withdrawn already is so from now on. */
export type NewCall = Pick<NewRow, Written>;

/**
 * Sends the row of a call, which is as old as now, less a millisecond for each call that follows it in the response. Takes
 * no field that it would leave out.
 */
export function insertCall<Call extends NewCall>(
  session: Transaction,
  call: Call & Record<Exclude<keyof Call, Written>, never>,
  followed: number,
): void {
  session.send(inserting(session, { ...nothing, ...call, notify: call.notify ?? [], followed }));
}

const nothing = Object.fromEntries(written.map((name) => [name, null])) as Record<Written, null>;

const inserting = builtOnce((session, value: ValueOf<Written | "followed">) => {
  const { db, now } = session;
  const columns = Object.fromEntries(written.map((name) => [name, valueFor(approvals[name], value(name))]));
  return db.insert(approvals).values({
    ...(columns as Record<Written, ReturnType<typeof valueFor>>),
    createdAt: sql`${now} - ${value("followed")} * interval '1 millisecond'`,
    decidedAt: sql`case when ${value("decisionType")}::text is not null then ${now} end`,
    finishedAt: sql`case when ${value("status")}::text = 'withdrawn' then ${now} end`,
  });
});
