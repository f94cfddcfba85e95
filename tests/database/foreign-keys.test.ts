import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import type { Store } from "../support/store.js";

let database: Awaited<ReturnType<typeof freshPostgres>>;
let store: Store;

beforeAll(async () => {
  database = await freshPostgres(2);
  store = await openStore(database);
});
afterAll(() => database[Symbol.asyncDispose]());

/** Statements that insert a row which refers to an approval or a request by its id. */
const rows = {
  vote: `insert into countersign.votes (tenant_id, approval_id, principal_id, voted_at)
    values ('acme', $1, 'mallory', now())`,
  viewer: `insert into countersign.viewers (tenant_id, approval_id, principal_id, until)
    values ('acme', $1, 'mallory', now())`,
  snooze: `insert into countersign.snoozes (tenant_id, approval_id, principal_id, until)
    values ('acme', $1, 'mallory', now())`,
  refusal: `insert into countersign.refusals (tenant_id, approval_id, principal_id, type, code, times, last_at)
    values ('acme', $1, 'mallory', 'decision.refused', 'forbidden', 1, now())`,
  "wake-up": `insert into countersign.outbox (tenant_id, request_id, created_at, attempts, next_attempt_at)
    values ('acme', $1, now(), 0, now())`,
  approval: `insert into countersign.approvals
    (id, tenant_id, request_id, position, tool_call_id, tool_name, tool_version, input_json, digest, nonce, call_hash,
     policy_context, status, verdict, summary, risk, terms, proposed_roles, approver_roles, approver_ids,
     policy_version, timeout_ms, created_at)
    values ('apr_forged', 'acme', $1, 0, 'call', 'refund', '1', '{}', 'digest', 'nonce', 'hash',
     '{}', 'pending', 'ask', 'Refund', 'medium', '{}', '{}', '{}', '{}',
     '1', 60000, now())`,
};

/** Runs a statement with one id as tenant acme, undoes it, and returns its outcome. */
async function asAcme(statement: string, id: string): Promise<string> {
  const undo = new Error("undo");
  try {
    await database.postgres.begin(async (tx) => {
      await tx`select set_config('countersign.tenant', 'acme', true)`;
      await tx.unsafe(statement, [id]);
      throw undo;
    });
    return "done";
  } catch (error) {
    if (error === undo) return "done";
    const { code, message, constraint_name, detail } = error as Record<string, string>;
    return JSON.stringify({ code, message, constraint_name, detail }).replaceAll(id, "ID");
  }
}

describe.each(Object.entries(rows))("a new row (%s)", (name, statement) => {
  it("cannot refer to another tenant's row or reveal that it exists", async () => {
    const [own] = await proposeCall(store, { tenantId: "acme" });
    const [foreign] = await proposeCall(store, { tenantId: "bolt" });
    const idOf = (call = own) =>
      (name === "approval" || name === "wake-up" ? call?.requestId : call?.id) ?? "unreachable";
    expect(await asAcme(statement, idOf())).toBe("done");
    const unknown = await asAcme(statement, "nothing_has_this");
    expect(JSON.parse(unknown)).toMatchObject({ code: "23503" });
    expect(await asAcme(statement, idOf(foreign))).toBe(unknown);
  });
});

it("a row that others refer to cannot move to another tenant, even by an administrator", async () => {
  const [call] = await proposeCall(store, { tenantId: "acme" });
  const move = database.admin`update countersign.approvals set tenant_id = 'bolt' where id = ${call?.id ?? ""}`;
  await expect(move).rejects.toMatchObject({ code: "23503" });
});
