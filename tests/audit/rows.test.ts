import type { Approval } from "countersign";
import { approvalDigest } from "countersign/internal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, runSql } from "../support/audit-log.js";
import { everyDatabase, type TestDatabase } from "../support/databases.js";
import { auditHash } from "../support/postgres/append-to-log.js";
import { proposeCall } from "../support/proposals.js";
import type { Store } from "../support/store.js";

const ada = { id: "ada", tenantId: "acme", roles: ["finance"] };
const bob = { ...ada, id: "bob" };

/** Changes of what is fixed when a call is proposed. */
const content = [
  "request_id = request_id, position = position + 1",
  "tool_call_id = 'other'",
  "run_id = 'other'",
  "requester_id = 'eve'",
  "thread_id = 'other'",
  "agent_name = 'other'",
  "tool_name = 'lookup'",
  "tool_version = '2'",
  `input_json = '{"id":"A-1","amount":9000}'`,
  "input_json = 'no JSON'",
  "input_schema_json = '{}'",
  "policy_version = 'other'",
  `policy_context = '{"principal":{"id":"boss","roles":["boss"]},"profile":null,"mcp":null}'`,
  "proposed_roles = '{eve}'",
  "approver_ids = '{eve}'",
  `terms = terms || '{"reversible": true}'`,
  `terms = '"none"'`,
  "timeout_ms = timeout_ms + 1",
  "risk = 'low'",
  "reason = 'It is harmless'",
  "summary = 'Refund 1 EUR'",
  "nonce = 'other'",
];

/** Changes of what happened to a call, by its state. */
const happened: [state: string, set: string][] = [
  ["pending", "status = 'approved', decision_type = 'approve', decided_by = 'eve', decided_at = now()"],
  ["pending", "status = 'executed'"],
  ["proposed", "status = 'pending'"],
  ["denied", "status = 'approved', decision_type = 'approve'"],
  ["denied", "status = 'pending', decision_type = null, decided_by = null"],
  ["denied", "decided_by = 'eve'"],
  ["denied", "decided_by = null"],
  ["approved", "decision_type = null"],
  ["approved", "digest = 'other'"],
  ["approved", "status = 'expired'"],
  ["edited", "edited_digest = 'other'"],
  ["edited", "edited_digest = null, edited_input_json = null"],
  ["responded", "decision_type = 'approve'"],
  ["forbidden", "decided_by = 'eve'"],
  ["notified", "decided_by = 'eve'"],
  ["withdrawn", "status = 'approved'"],
  ["executing", "status = 'approved'"],
  ["executed", "status = 'approved'"],
  ["interrupted", "status = 'executed'"],
  ["executed", "undone_at = now()"],
  ["undone", "undone_at = null"],
  ["undone", "undo_id = 'another'"],
  ["byGrant", "grant_id = null"],
  ["byGrant", "decided_by = 'eve'"],
  ["edited", `edited_input_json = '{"amount":9}'`],
  ["edited", "decision_reason = 'More'"],
  ["edited", "decision_reason = null"],
  ["denied", "decision_reason = 'For fun'"],
  ["responded", "response_json = '2'"],
  ["executed", `outcome_json = '{"status":"executed","data":"eve"}'`],
  ["executed", "outcome_json = null"],
  ["failed", `outcome_json = '{"status":"failed"}'`],
  ["interrupted", "outcome_json = '{}'"],
];

/** Changes on Postgres. The content is covered in every state. */
const everyChange: [state: string, set: string][] = [
  ...happened,
  ...content.map((set): [string, string] => ["executed", set]),
  ...["pending", "notified", "forbidden"].flatMap((state) =>
    ["tool_name = 'lookup'", "nonce = 'other'"].map((set): [string, string] => [state, set]),
  ),
];

/** The same code compares the rows of a PGlite. */
const someChanges = everyChange.filter((_, at) => at % 6 === 0);

describe.each(everyDatabase)("verification of rows against the audit log on $name", ({ name, open }) => {
  let database: TestDatabase;
  let store: Store;
  /** A call in each state that people and runs can cause. */
  const calls: Record<string, Approval> = {};

  const propose = async (options: Parameters<typeof proposeCall>[1] = {}) => {
    const [call] = await proposeCall(store, options);
    if (!call) throw new Error("unreachable");
    return call;
  };
  const decide = (call: Approval, type: "approve" | "deny" | "respond" | "edit", more: object = {}) =>
    store.decide({ approvalId: call.id, principal: ada, type, digest: call.digest, reason: null, ...more });
  const approved = async (options: Parameters<typeof proposeCall>[1] = {}) => {
    const call = await propose(options);
    await decide(call, "approve");
    return call;
  };
  const started = async () => {
    const call = await approved();
    await store.claim(call.id, "once", () => undefined);
    return call;
  };
  /** An undo of a call, which has started. */
  const undoOf = async ({ id: approvalId, tenantId }: Approval) => {
    const undoes = { approvalId, outcomeHash: "hash", askedBy: "ada", reason: null, after: null };
    const undo = await propose({ tenantId, toolName: "refund.undo", verdict: "notify", terms: { undoes } });
    await store.claim(undo.id, "once", () => undefined);
    return undo;
  };
  const idOf = (state: string) => calls[state]?.id ?? "unreachable";
  const verify = () => store.verifyAudit("acme");

  beforeAll(async () => {
    database = await open();
    store = await openStore(database);
    calls.proposed = await propose({ announce: false });
    calls.pending = await propose();
    calls.approved = await approved();
    calls.denied = await propose();
    await decide(calls.denied, "deny");
    calls.responded = await propose({ terms: { decisions: ["respond"] } });
    await decide(calls.responded, "respond", { responseJson: "1" });
    calls.edited = await propose({ terms: { decisions: ["edit"], editable: ["*"] } });
    const digest = approvalDigest({ ...calls.edited, inputJson: "{}" });
    await decide(calls.edited, "edit", { edited: { inputJson: "{}", digest }, reason: "Less" });
    calls.forbidden = await propose({ verdict: "deny" });
    calls.notified = await propose({ verdict: "notify" });
    calls.withdrawn = await propose({ runId: "over" });
    await store.withdrawRun("over", "run_cancelled");
    calls.executing = await started();
    calls.executed = await started();
    await store.finish(calls.executed.id, { status: "executed", outcomeJson: "{}" });
    calls.failed = await started();
    await store.finish(calls.failed.id, { status: "failed", outcomeJson: "{}" });
    calls.interrupted = await started();
    await store.finish(calls.interrupted.id, { status: "interrupted" });
    calls.voted = await propose({ terms: { quorum: 2 } });
    await decide(calls.voted, "approve");
    calls.quorate = await propose({ terms: { quorum: 2 } });
    await decide(calls.quorate, "approve");
    await decide(calls.quorate, "approve", { principal: bob });
    calls.granted = await propose({ toolName: "grant", terms: { grantable: ["team"] } });
    const grant = {
      scope: "team" as const,
      inputHash: null,
      condition: null,
      authorSeesAll: false,
      lifetimeMs: 600_000,
      uses: null,
      budget: { amount: "amount", total: 1000, each: null, unit: null },
    };
    await decide(calls.granted, "approve", { grant });
    calls.byGrant = await propose({ toolName: "grant", terms: { grantable: ["team"] } });
    const spending = await propose({ toolName: "grant", terms: { grantable: ["team"] } });
    await store.claim(spending.id, "once", () => undefined);
    calls.undone = await started();
    await store.finish(calls.undone.id, { status: "executed", outcomeJson: "{}" });
    const undo = await undoOf(calls.undone);
    await store.finish(undo.id, { status: "executed", outcomeJson: "{}" });
    await runSql(
      database,
      "update countersign.approvals set expires_at = now() - interval '1 hour' where id = $1",
      [idOf("pending")],
    );
    calls.expired = calls.pending;
    await store.settle(calls.expired.requestId, 0);
    calls.pending = await propose();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  /** Changes rows without a log entry; returns a function that restores them. */
  async function change(table: string, key: string, id: string, set: string) {
    const kept = await runSql(
      database,
      `select to_json(t)::text as row from countersign.${table} t where ${key} = $1`,
      [id],
    );
    await runSql(database, `update countersign.${table} set ${set} where ${key} = $1`, [id]);
    return async () => {
      await runSql(database, `delete from countersign.${table} where ${key} = $1`, [id]);
      for (const { row } of kept) {
        const insert = `insert into countersign.${table} select * from json_populate_record(null::countersign.${table}, $1::text::json)`;
        await runSql(database, insert, [String(row)]);
      }
    };
  }

  it("succeeds for calls in every state", async () => {
    const states = await runSql(database, "select distinct status from countersign.approvals");
    expect(states.length).toBe(11);
    expect((await store.getApproval("acme", idOf("byGrant")))?.grantId).not.toBeNull();
    expect(await verify()).toMatchObject({ ok: true, deleted: 0 });
  });

  it.each(name === "PGlite" ? someChanges : everyChange)(
    "detects a change by SQL to a call that is %s: %s",
    async (state, set) => {
      const undo = await change("approvals", "id", idOf(state), set);
      expect(await verify()).toMatchObject({ ok: false, problem: "row", approvalId: idOf(state) });
      await undo();
      expect(await verify()).toMatchObject({ ok: true });
    },
  );

  it("detects a call, a vote and a grant that were inserted without a log entry", async () => {
    const copy = (table: string, key: string, id: string, changed: string) =>
      runSql(
        database,
        `insert into countersign.${table} select (json_populate_record(t, $2::text::json)).*
         from countersign.${table} t where ${key} = $1 limit 1`,
        [id, changed],
      );
    const forged = async (table: string, key: string, id: string, changed: Record<string, string>) => {
      await copy(table, key, id, JSON.stringify(changed));
      const found = await verify();
      const [column = "", value = ""] = Object.entries(changed)[0] ?? [];
      await runSql(database, `delete from countersign.${table} where ${column} = $1`, [value]);
      expect(await verify()).toMatchObject({ ok: true });
      return found;
    };
    const rowFault = { ok: false, problem: "row" };
    const executed = { id: "apr_forged" };
    expect(await forged("approvals", "id", idOf("executed"), executed)).toMatchObject({
      ...rowFault,
      approvalId: "apr_forged",
      message: "The log has no entry for a call whose row has status executed",
    });
    expect(await forged("votes", "approval_id", idOf("voted"), { principal_id: "eve" })).toMatchObject({
      ...rowFault,
      approvalId: idOf("voted"),
      message: "The log does not have the vote of eve as the row has it",
    });
    const grant = { id: "grt_forged" };
    expect(await forged("grants", "approval_id", idOf("granted"), grant)).toMatchObject({
      ...rowFault,
      message: "The log has no entry for grant grt_forged",
    });
  });

  it.each(["0", "160", "'NaN'"])(
    "detects that SQL changed what the calls of a grant have spent to %s",
    async (spent) => {
      const undo = await change("grants", "approval_id", idOf("granted"), `spent = ${spent}`);
      expect(await verify()).toMatchObject({
        ok: false,
        problem: "row",
        message: expect.stringContaining("have spent another amount than its row says"),
      });
      await undo();
      expect(await verify()).toMatchObject({ ok: true });
    },
  );

  it("detects a call that SQL kept from being marked as undone", async () => {
    const call = await propose({ tenantId: "kept", verdict: "notify" });
    await store.claim(call.id, "once", () => undefined);
    await store.finish(call.id, { status: "executed", outcomeJson: "{}" });
    const undo = await undoOf(call);
    await runSql(database, "update countersign.approvals set undo_id = null where id = $1", [call.id]);
    await store.finish(undo.id, { status: "executed", outcomeJson: "{}" });
    expect(await store.verifyAudit("kept")).toMatchObject({
      ok: false,
      problem: "row",
      approvalId: call.id,
      message: "The log has no entry that the call was undone, but its undo ran",
    });
  });

  /** Appends an entry with the right hash, as anybody with write access can, and moves the head. */
  async function append(tenantId: string, approvalId: string, type: string, data: object) {
    const [last] = await runSql(
      database,
      "select position::int as position, hash from countersign.audit_entries where tenant_id = $1 order by position desc limit 1",
      [tenantId],
    );
    const content = { tenantId, position: Number(last?.position) + 1, approvalId, type, actorId: null };
    const at = new Date();
    const hash = auditHash({ ...content, at, data: { ...data }, prevHash: String(last?.hash) });
    await runSql(
      database,
      "insert into countersign.audit_entries values ($1, $2, $3, $4, null, $5, $6::text::json, $7, $8)",
      [
        ...[tenantId, String(content.position), approvalId, type, at.toISOString(), JSON.stringify(data)],
        ...[String(last?.hash), hash],
      ],
    );
    await runSql(
      database,
      "update countersign.audit_heads set position = $2, hash = $3 where tenant_id = $1",
      [tenantId, String(content.position), hash],
    );
  }

  it.each<[string, string, string[]]>([
    ["a second start", "approval.executing", ["approval.executing", "approval.executed"]],
    ["a start after its end", "approval.executing", ["approval.executing"]],
    ["an approval after its end", "approval.approved", ["approval.approved", "approval.executed"]],
    ["a withdrawal after its end", "approval.withdrawn", ["approval.withdrawn"]],
    ["a second end", "approval.executed", ["approval.executed"]],
  ])("detects a log with %s of a call", async (what, wrong, types) => {
    const call = await propose({ tenantId: what, verdict: "notify" });
    await store.claim(call.id, "once", () => undefined);
    await store.finish(call.id, { status: "executed", outcomeJson: "{}" });
    const ended = (await store.auditTrail(what, call.id)).at(-1);
    for (const type of types) await append(what, call.id, type, ended?.data ?? {});
    const status = String(types.at(-1)).replace("approval.", "");
    await runSql(database, "update countersign.approvals set status = $2 where id = $1", [call.id, status]);
    expect(await store.verifyAudit(what)).toMatchObject({
      ok: false,
      problem: "row",
      position: 4,
      approvalId: call.id,
      message: `Entry 4 (${wrong}): the call could not do so after its earlier entries`,
    });
  });

  it("detects a vote that SQL changed from approve to deny", async () => {
    const undo = await change("votes", "approval_id", idOf("voted"), "type = 'deny'");
    expect(await verify()).toMatchObject({ ok: false, problem: "row", approvalId: idOf("voted") });
    await undo();
    expect(await verify()).toMatchObject({ ok: true });
  });

  it("accepts the deletion of a decided call, and detects that of a pending one", async () => {
    const [decided, open] = [await propose({ tenantId: "bolt" }), await propose({ tenantId: "bolt" })];
    await decide(decided, "deny", { principal: { ...ada, tenantId: "bolt" } });
    await runSql(database, "delete from countersign.approvals where id = $1", [decided.id]);
    const settled = await store.verifyAudit("bolt");
    expect(settled).toMatchObject({ ok: true, deleted: 1 });
    await runSql(database, "delete from countersign.approvals where id = $1", [open.id]);
    expect(await store.verifyAudit("bolt")).toMatchObject({
      ok: false,
      problem: "row",
      approvalId: open.id,
      message: expect.stringMatching(/^Entry 3 proposes a call that is still open, but its row is missing$/),
    });
  });

  it("detects a log whose last entry was removed and whose head was moved back", async () => {
    const call = await propose({ tenantId: "cut" });
    await decide(call, "approve", { principal: { ...ada, tenantId: "cut" } });
    expect(await store.verifyAudit("cut")).toMatchObject({ ok: true, entries: 3 });
    for (const statement of [
      "alter table countersign.audit_entries disable trigger all",
      "alter table countersign.audit_heads disable trigger all",
      "delete from countersign.audit_entries where tenant_id = 'cut' and position = 3",
      `update countersign.audit_heads h set position = 2, hash =
        (select hash from countersign.audit_entries e where e.tenant_id = 'cut' and e.position = 2) where tenant_id = 'cut'`,
    ]) {
      await runSql(database, statement);
    }
    expect(await store.verifyAudit("cut")).toMatchObject({
      ok: false,
      position: 2,
      problem: "row",
      approvalId: call.id,
      message:
        "Entry 2 (approval.announced) is the last status entry of a call whose row has status approved",
    });
  });
});
