import { isDeepStrictEqual } from "node:util";
import type { Principal } from "countersign";
import { expect } from "vitest";
import { type Call, type Model, maySee } from "./model.js";
import { nameOf } from "./people.js";
import { beginning, type World } from "./world.js";

export interface Row {
  [column: string]: unknown;
}

export interface Tables {
  approvals: Row[];
  votes: Row[];
  viewers: Row[];
  requests: Row[];
  ended_runs: Row[];
  outbox: Row[];
  grants: Row[];
  entries: Row[];
}

/** Reads all tables in one snapshot. */
export async function readTables({ database }: World): Promise<Tables> {
  const tables = ["approvals", "votes", "viewers", "requests", "ended_runs", "outbox", "grants"];
  const lists = tables.map(
    (table) =>
      `'${table}', (select coalesce(json_agg(t), '[]') from countersign.${table} t ${table === "votes" ? "where taken_back_at is null" : ""})`,
  );
  const [row] = await database.admin.unsafe<{ tables: Tables }[]>(`
    select json_build_object(${lists.join(", ")}, 'entries', (
      select coalesce(json_agg(json_build_object('approval', approval_id, 'type', type, 'actor', actor_id, 'data', data)
        order by tenant_id, position), '[]') from countersign.audit_entries)) as tables`);
  if (!row) throw new Error("unreachable: there is always one row");
  return row.tables;
}

/** Milliseconds since the beginning. */
export function timeOf(text: unknown): number | null {
  return typeof text === "string" ? Date.parse(text) - beginning : null;
}

/** Compares the calls, requests and grants of the model with the tables. */
export async function compare(model: Model, world: World): Promise<void> {
  const tables = await readTables(world);
  const found = real(tables, model.now);
  const wanted = expected(model);
  if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted);
}

/** Compares the model's pending calls of each of these people with those that the store lists for them. */
export async function compareLists(
  model: Model,
  { store }: World,
  readers: readonly Principal[],
): Promise<void> {
  const lists = readers.map(async (person) => {
    const { tenantId } = person;
    const list = await store.listApprovals({
      tenantId,
      visibleTo: person,
      statuses: ["pending"],
      limit: 200,
    });
    return [nameOf(person), list.map(({ id }) => id).sort()];
  });
  const expected = readers.map((person) => [nameOf(person), pendingOf(model, person)]);
  expect(await Promise.all(lists)).toEqual(expected);
}

function pendingOf(model: Model, person: Principal): string[] {
  return (
    [...model.calls.values()]
      // A decision that is held was made in time.
      .filter((call) => call.status === "pending" && (call.held !== null || !model.isOver(call)))
      .filter((call) => maySee(call, person))
      .map(({ id }) => id)
      .sort()
  );
}

function expected(model: Model) {
  return {
    approvals: Object.fromEntries(
      [...model.calls.values()].map((call) => [call.id, expectedCall(model, call)]),
    ),
    requests: Object.fromEntries(
      [...model.requests.values()].map(({ id, rounds, settledAt, outbox }) => [
        id,
        {
          rounds,
          settled: settledAt,
          outbox: outbox && { attempts: outbox.attempts, at: outbox.nextAt },
        },
      ]),
    ),
    ended: Object.fromEntries([...model.ended].map(([run, { cause }]) => [run, cause])),
    grants: Object.fromEntries(
      [...model.grants.values()].map((grant) => [
        grant.key,
        {
          tenant: grant.tenant,
          scope: grant.scope,
          scopeId: grant.scopeId,
          toolVersion: grant.toolVersion,
          exact: grant.amount !== null,
          by: grant.grantedBy,
          expires: grant.expiresAt,
          usesLeft: grant.usesLeft,
          usesTaken: grant.usesTaken,
          revokedBy: grant.revokedBy,
        },
      ]),
    ),
  };
}

function expectedCall(model: Model, call: Call) {
  const { decision, resolution } = call;
  return {
    status: call.status,
    decision: decision && {
      type: decision.type,
      by: decision.by,
      reason: decision.reason,
      at: decision.at,
    },
    held: call.status === "pending" && call.held ? { by: call.held.by, until: call.held.until } : null,
    response: decision?.response ?? null,
    edited: decision?.amount ?? null,
    roles: [...call.approvers.roles].sort(),
    expires: call.expiresAt,
    extensionsUsed: call.extensionsUsed,
    assignee: call.assignee,
    assignedBy: call.assignedBy,
    cause: call.cause,
    duplicateOf: call.duplicateOf,
    grant: call.grant,
    started: call.startedAt,
    kind: call.kind,
    resolution: resolution && { outcome: resolution.outcome, by: resolution.by, note: resolution.note },
    votes: [...call.votes].map(([id, { type, inPlaceOf }]) => ({ id, type, inPlaceOf })).sort(byId),
    viewers: [...call.viewers]
      .filter(([, until]) => until > model.now)
      .map(([id]) => id)
      .sort(),
    auditLog: call.auditLog,
  };
}

function real(tables: Tables, now: number) {
  const { approvals, votes, viewers, requests, outbox, grants, entries } = tables;
  const keys = new Map(grants.map((row) => [row.id, `${row.approval_id}${row.rerun ? " once more" : ""}`]));
  const ofCall = (rows: Row[], id: unknown) => rows.filter((row) => row.approval_id === id);
  return {
    approvals: Object.fromEntries(
      approvals.map((row) => {
        const { id } = row;
        return [
          id,
          {
            status: row.status,
            decision: row.decision_type && {
              type: row.decision_type,
              by: row.decided_by,
              reason: row.decision_reason,
              at: timeOf(row.decided_at),
            },
            held:
              row.status === "pending" && row.held_until !== null
                ? { by: (row.held as { decidedBy: string }).decidedBy, until: timeOf(row.held_until) }
                : null,
            response: row.response_json,
            edited:
              typeof row.edited_input_json === "string" ? JSON.parse(row.edited_input_json).amount : null,
            roles: [row.approver_roles].flat().sort(),
            expires: timeOf(row.expires_at),
            extensionsUsed: row.extensions_used,
            assignee: row.assignee_id,
            assignedBy: row.assigned_by,
            cause: row.withdrawal_cause,
            duplicateOf: row.duplicate_of,
            grant: row.grant_id && keys.get(row.grant_id),
            started: timeOf(row.started_at),
            kind: row.handler_kind,
            resolution: row.resolution_outcome && {
              outcome: row.resolution_outcome,
              by: row.resolved_by,
              note: row.resolution_note,
            },
            votes: ofCall(votes, id)
              .map((vote) => ({
                id: vote.principal_id,
                type: vote.type,
                inPlaceOf: vote.on_behalf_of,
              }))
              .sort(byId),
            viewers: ofCall(viewers, id)
              .filter(({ until }) => (timeOf(until) ?? 0) > now)
              .map((viewer) => viewer.principal_id)
              .sort(),
            auditLog: entries
              .filter(({ approval }) => approval === id)
              .map(({ type, actor, data }) => `${type} ${actor ?? "-"}${reasonOf(type, data)}`),
          },
        ];
      }),
    ),
    requests: Object.fromEntries(
      requests.map((row) => {
        const waiting = outbox.find((due) => due.request_id === row.id);
        return [
          row.id,
          {
            rounds: row.rounds,
            settled: timeOf(row.settled_at),
            outbox: waiting ? { attempts: waiting.attempts, at: timeOf(waiting.next_attempt_at) } : null,
          },
        ];
      }),
    ),
    ended: Object.fromEntries(tables.ended_runs.map((row) => [row.run_id, row.cause])),
    grants: Object.fromEntries(
      grants.map((row) => [
        keys.get(row.id),
        {
          tenant: row.tenant_id,
          scope: row.scope,
          scopeId: row.scope_id,
          toolVersion: row.tool_version,
          exact: row.input_hash !== null,
          by: row.granted_by,
          expires: timeOf(row.expires_at),
          usesLeft: row.uses_left,
          usesTaken: row.uses_taken,
          revokedBy: row.revoked_by,
        },
      ]),
    ),
  };
}

function reasonOf(type: unknown, data: unknown): string {
  return String(type).endsWith(".refused") ? `: ${(data as { code: string }).code}` : "";
}

function byId(a: { id: unknown }, b: { id: unknown }): number {
  return String(a.id) < String(b.id) ? -1 : 1;
}
