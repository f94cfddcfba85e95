import type { DecisionType } from "countersign";
import { defaultTerms } from "countersign/internal";
import type { Row, Tables } from "./compare.js";
import { timeOf } from "./compare.js";
import type { Call, Model } from "./model.js";

/** Fills a model from the tables, as far as that matters for what may happen next. */
export function modelOf(tables: Tables, model: Model): Model {
  const { approvals, votes, requests, grants } = tables;
  model.calls.clear();
  model.requests.clear();
  model.grants.clear();
  model.ended.clear();
  for (const { run_id, cause, ended_at } of tables.ended_runs) {
    const known = cause === "run_failed" ? "run_failed" : "run_cancelled";
    model.ended.set(String(run_id), { at: timeOf(ended_at) ?? 0, cause: known });
  }
  const inOrder = [...approvals].sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  for (const row of inOrder) model.calls.set(String(row.id), callOf(row, votes));
  for (const row of requests) {
    const id = String(row.id);
    const settledAt = timeOf(row.settled_at);
    model.requests.set(id, {
      id,
      tenant: String(row.tenant_id),
      run: String(row.run_id),
      rounds: Number(row.rounds),
      settledAt,
      outbox: null,
    });
  }
  for (const row of grants) {
    const key = `${row.approval_id}${row.rerun ? " once more" : ""}`;
    model.grants.set(key, { ...emptyGrant, key, approval: String(row.approval_id) });
  }
  return model;
}

export function callOf(row: Row, votes: readonly Row[]): Call {
  const own = votes.filter((vote) => vote.approval_id === row.id);
  return {
    ...(row as unknown as Pick<Call, "id" | "status" | "verdict">),
    terms: { ...defaultTerms, ...(row.terms as Partial<Call["terms"]>) },
    tenant: String(row.tenant_id),
    request: String(row.request_id),
    run: String(row.run_id),
    thread: String(row.thread_id),
    requester: row.requester_id === null ? null : String(row.requester_id),
    amount: JSON.parse(String(row.input_json)).amount,
    toolVersion: String(row.tool_version),
    approvers: { roles: row.approver_roles as string[], ids: row.approver_ids as string[] },
    timeoutMs: Number(row.timeout_ms),
    createdAt: timeOf(row.created_at) ?? 0,
    announcedAt: timeOf(row.announced_at),
    expiresAt: timeOf(row.expires_at),
    escalationSteps: Number(row.escalation_steps),
    decision: null,
    held: heldIn(row),
    votes: new Map(
      own.map((vote) => [
        String(vote.principal_id),
        {
          type: vote.type === "deny" ? "deny" : "approve",
          roles: vote.roles as string[],
          inPlaceOf: vote.on_behalf_of === null ? null : String(vote.on_behalf_of),
        },
      ]),
    ),
    viewers: new Map(),
    assignee: row.assignee_id === null ? null : String(row.assignee_id),
    assignedBy: null,
    extensionsUsed: Number(row.extensions_used),
    cause: null,
    startedAt: timeOf(row.started_at),
    kind: null,
    resolution:
      row.resolved_by === null ? null : { outcome: "done", by: String(row.resolved_by), note: null },
    grant: null,
    duplicateOf: null,
    auditLog: [],
    refused: new Map(),
  };
}

function heldIn({ status, held, held_until }: Row): Call["held"] {
  if (status !== "pending" || held_until === null) return null;
  const { type, decidedBy: by, reason } = held as StoredHold;
  return { type, by, reason, at: 0, response: null, amount: null, until: timeOf(held_until) ?? 0 };
}

/** The part of a held decision on which acts depend. */
interface StoredHold {
  type: DecisionType;
  decidedBy: string;
  reason: string | null;
}

const emptyGrant = {
  tenant: "",
  rerun: false,
  scope: "team" as const,
  scopeId: null,
  toolVersion: "",
  amount: null,
  grantedBy: "",
  grantedRoles: [],
  approvers: { roles: [], ids: [] },
  lifetimeMs: 0,
  expiresAt: 0,
  usesLeft: null,
  usesTaken: 0,
  revokedBy: null,
};
