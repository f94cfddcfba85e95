import { createHash } from "node:crypto";
import type { AuditEntry } from "countersign";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStore, runSql, smallLog, wholeLog } from "../support/audit-log.js";
import { everyDatabase, type TestDatabase } from "../support/databases.js";
import type { Store } from "../support/store.js";

type Statement = [text: string, params: (string | number)[]];

const size = 6;
const entries = "countersign.audit_entries";
const heads = "countersign.audit_heads";

/** Changes of each column. A column that is missing here fails a test, because the hash may not cover it. */
const changes: Record<string, string[]> = {
  tenant_id: ["tenant_id || '-other'"],
  position: ["position + 1000", "-position"],
  approval_id: ["'apr_other'", "case when approval_id is null then '' end"],
  type: ["type || 'x'"],
  actor_id: ["'mallory'", "case when actor_id is null then '' end"],
  at: ["at + interval '1 millisecond'", "'infinity'", "at - interval '4000 years'"],
  data: [
    "'{}'::json",
    "'[]'::json",
    "(data::text || ' ')::json",
    `replace(data::text, '"attempt":1,', '"attempt":1.00000000000000000000001,')::json`,
    `'{"attempt":1e999}'::json`,
  ],
  prev_hash: ["repeat('0', 63) || '1'", "hash"],
  hash: ["repeat('0', 64)", "prev_hash"],
};

/** The hash of an entry, computed without the code under test. */
function hashOf(entry: AuditEntry): string {
  const { hash: _, at, ...rest } = entry;
  return createHash("sha256")
    .update(sorted({ ...rest, at: at.toISOString() }))
    .digest("hex");
}

function sorted(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${sorted(field)}`).join(",")}}`;
}

describe.each(everyDatabase)("the verifier on $name", ({ name, open }) => {
  const tenantId = "acme";
  /** The same code reads the log of a PGlite. */
  const changedPositions = name === "PGlite" ? [1, size] : [1, 2, 3, 4, 5, 6];
  let database: TestDatabase;
  let store: Store;
  let log: AuditEntry[];

  const tamper = async (...statements: Statement[]) => {
    for (const [text, params] of statements) await runSql(database, text, params);
  };
  const raw = async () =>
    (
      await runSql(database, `select to_json(e)::text as e from ${entries} e order by tenant_id, position`)
    ).map((row) => row.e);

  beforeAll(async () => {
    database = await open();
    store = await openStore(database);
    await smallLog(store, tenantId);
    log = await wholeLog(store, tenantId);
    expect(log).toHaveLength(size);
    // With its triggers enabled, the database refuses every change below. Only its owner or a superuser can disable them.
    await tamper(
      [`alter table ${entries} disable trigger all`, []],
      [`alter table ${heads} disable trigger all`, []],
      [`create table kept_entries as table ${entries}`, []],
      [`create table kept_heads as table ${heads}`, []],
    );
  });

  const restore = async () => {
    await tamper(
      [`delete from ${entries}`, []],
      [`delete from ${heads}`, []],
      [`insert into ${entries} table kept_entries`, []],
      [`insert into ${heads} table kept_heads`, []],
    );
  };
  beforeEach(restore);
  afterAll(async () => {
    await restore();
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, entries: size });
    await database[Symbol.asyncDispose]();
  });

  const at = (position: number): AuditEntry => {
    const entry = log[position - 1];
    if (!entry) throw new Error("unreachable");
    return entry;
  };
  const where = "where tenant_id = $1 and position = $2";
  const move = (from: number, to: number): Statement => [
    `update ${entries} set position = $3 ${where}`,
    [tenantId, from, to],
  ];
  const swap = (one: number, other: number) => tamper(move(one, -1), move(other, one), move(-1, other));

  it("is tested with changes to every column of the table", async () => {
    const rows = await runSql(
      database,
      `select column_name from information_schema.columns
       where table_schema = 'countersign' and table_name = 'audit_entries'`,
    );
    expect(rows.map((row) => row.column_name).sort()).toEqual(Object.keys(changes).sort());
  });

  it.each(Object.entries(changes).flatMap(([column, all]) => all.map((to) => ({ column, to }))))(
    "reports the first bad entry when $column of any row becomes $to",
    async ({ column, to }) => {
      let changed = 0;
      const before = await raw();
      for (const position of changedPositions) {
        await restore();
        await tamper([`update ${entries} set ${column} = ${to} ${where}`, [tenantId, position]]);
        // Some rows already had that value.
        if ((await raw()).join() === before.join()) continue;
        changed += 1;
        const gone = column === "tenant_id" || to === "position + 1000";
        const last = position === size;
        const found = await store.verifyAudit(tenantId);
        if (gone) {
          const problem = last && column === "tenant_id" ? "head" : "missing";
          expect(found).toMatchObject({ ok: false, position, problem });
        } else if (to === "-position") {
          expect(found).toMatchObject({ ok: false, position: -position, problem: "changed" });
        } else {
          expect(found).toMatchObject({ ok: false, position, problem: "changed" });
          const { approvalId } = at(position);
          const after = column === "approval_id" ? undefined : approvalId;
          if (after) expect(found).toMatchObject({ approvalId: after });
        }
      }
      expect(changed).toBeGreaterThan(0);
    },
  );

  it("reports a time that moved by less than a millisecond, which needs another column type", async () => {
    // The trigger, which reads the column, does not allow another type either.
    await tamper([`drop trigger written_now on ${entries}`, []]);
    await tamper([`alter table ${entries} alter column at type timestamptz(6)`, []]);
    for (let position = 1; position <= size; position++) {
      const move = (sign: string): Statement => [
        `update ${entries} set at = at ${sign} interval '1 microsecond' ${where}`,
        [tenantId, position],
      ];
      await tamper(move("+"));
      expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: false, position, problem: "changed" });
      await tamper(move("-"));
    }
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true });
    await tamper([`alter table ${entries} alter column at type timestamptz(3)`, []]);
    const before = await raw();
    await tamper([`update ${entries} set at = at + interval '400 microseconds'`, []]);
    expect(await raw()).toEqual(before);
  });

  it("reports the first missing entry", async () => {
    for (let position = 1; position <= size; position++) {
      await restore();
      await tamper([`delete from ${entries} ${where}`, [tenantId, position]]);
      const problem = position === size ? "head" : "missing";
      expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: false, position, problem });
    }
  });

  it("detects a deletion whose gap was closed", async () => {
    for (let position = 1; position < size; position++) {
      await restore();
      const close: Statement[] = [];
      for (let next = position + 1; next <= size; next++) close.push(move(next, next - 1));
      await tamper([`delete from ${entries} ${where}`, [tenantId, position]], ...close);
      const found = await store.verifyAudit(tenantId);
      expect(found).toMatchObject({ ok: false, position, problem: "reordered" });
      expect(found).toMatchObject({ message: expect.stringContaining(`written as entry ${position + 1}`) });
    }
  });

  it("reports the first of two swapped entries, and its original position", async () => {
    for (const [one, other] of [
      [1, 2],
      [1, size],
      [2, 4],
      [size - 1, size],
    ] as const) {
      await restore();
      await swap(one, other);
      const found = await store.verifyAudit(tenantId);
      expect(found).toMatchObject({ ok: false, position: one, problem: "reordered" });
      expect(found).toMatchObject({ message: expect.stringContaining(`written as entry ${other}`) });
    }
  });

  it("reports an entry that was rewritten with a matching hash", async () => {
    for (let position = 1; position <= size; position++) {
      await restore();
      const forged = { ...at(position), actorId: "mallory" };
      await tamper([
        `update ${entries} set actor_id = 'mallory', hash = $3 ${where}`,
        [tenantId, position, hashOf(forged)],
      ]);
      const problem = position === size ? "head" : "changed";
      expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: false, position, problem });
    }
  });

  it("detects a rewritten chain by a head that was noted before", async () => {
    const noted = { position: 5, hash: at(5).hash };
    const statements: Statement[] = [];
    let prevHash = at(2).hash;
    for (let position = 3; position <= size; position++) {
      // The approval's row also names who decided, so a change of that would be detected without the noted head.
      const actorId = at(position).type === "approval.approved" ? at(position).actorId : "mallory";
      const hash = hashOf({ ...at(position), actorId, prevHash });
      statements.push([
        `update ${entries} set actor_id = $3, prev_hash = $4, hash = $5 ${where}`,
        [tenantId, position, actorId ?? "", prevHash, hash],
      ]);
      prevHash = hash;
    }
    await tamper(...statements, [`update ${heads} set hash = $2 where tenant_id = $1`, [tenantId, prevHash]]);
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true });
    expect(await store.verifyAudit(tenantId, noted)).toMatchObject({
      ok: false,
      position: 5,
      problem: "changed",
    });
  });

  it("accepts a noted head that is in the log, and refuses one that the log never reached", async () => {
    const [third, last] = [at(3), at(size)];
    expect(await store.verifyAudit(tenantId, third)).toMatchObject({ ok: true });
    expect(await store.verifyAudit(tenantId, last)).toMatchObject({ ok: true });
    expect(await store.verifyAudit(tenantId, { position: size + 3, hash: last.hash })).toMatchObject({
      ok: false,
      position: size + 1,
      problem: "head",
    });
  });

  it.each([
    { what: "has another hash", set: `hash = repeat('0', 64)`, position: size },
    { what: "was moved back", set: "position = 4", position: 5 },
    { what: "was moved forward", set: "position = 9", position: size + 1 },
  ])("detects a head that $what", async ({ set, position }) => {
    await tamper([`update ${heads} set ${set} where tenant_id = $1`, [tenantId]]);
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: false, position, problem: "head" });
  });

  it("detects a deleted head, a deleted log, and both", async () => {
    const deleteHead: Statement = [`delete from ${heads} where tenant_id = $1`, [tenantId]];
    await tamper(deleteHead);
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: false, position: 1, problem: "head" });
    const deleteLog: Statement = [`delete from ${entries} where tenant_id = $1`, [tenantId]];
    await tamper(deleteLog);
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: false, position: 1, problem: "head" });
    expect(await store.auditedTenants()).toContain(tenantId);
    await restore();
    await tamper([deleteLog[0], [tenantId]]);
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: false, position: 1, problem: "head" });
  });

  it("detects an entry that was added without its head, and the store then appends none", async () => {
    const forged = { ...at(size), position: size + 1, prevHash: at(size).hash };
    await runSql(
      database,
      `insert into ${entries} select tenant_id, position + 1, approval_id, type, actor_id, at, data, hash, $3
       from ${entries} ${where}`,
      [tenantId, size, hashOf(forged)],
    );
    expect(await store.verifyAudit(tenantId)).toMatchObject({
      ok: false,
      position: size + 1,
      problem: "head",
    });
    const note = store.recordNote({ tenantId, type: "call.refused", data: {} });
    await expect(note).rejects.toMatchObject({ code: "database_failed", detail: { sqlState: "23505" } });
  });

  it("reports the log of an unknown tenant as empty and in order", async () => {
    expect(await store.verifyAudit("nobody")).toEqual({
      ok: true,
      entries: 0,
      head: { position: 0, hash: "0".repeat(64) },
      deleted: 0,
      sealed: [],
    });
  });

  it("verifies a log of more than a thousand entries", async () => {
    const more = [...log];
    while (more.length < 1203) {
      const last = more.at(-1);
      if (!last) throw new Error("unreachable");
      const next = { ...last, position: last.position + 1, data: { n: more.length }, prevHash: last.hash };
      more.push({ ...next, hash: hashOf(next) });
    }
    const last = more.at(-1);
    await tamper(
      [
        `insert into ${entries} (tenant_id, position, type, at, data, prev_hash, hash)
         select $1, (e->>'position')::bigint, e->>'type', (e->>'at')::timestamptz, (e->'data')::json,
           e->>'prevHash', e->>'hash' from json_array_elements($2::text::json) e`,
        [tenantId, JSON.stringify(more.slice(size))],
      ],
      [`update ${heads} set position = 1203, hash = $2 where tenant_id = $1`, [tenantId, last?.hash ?? ""]],
    );
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, entries: 1203 });
    let exported = 0;
    for await (const _line of store.exportAudit(tenantId, { format: "jsonl" })) exported += 1;
    expect(exported).toBe(1203);
    await tamper(
      [`update ${entries} set data = '{"n":7}' ${where}`, [tenantId, 1001]],
      [`update ${entries} set data = '{"n":7}' ${where}`, [tenantId, 1101]],
    );
    expect(await store.verifyAudit(tenantId)).toMatchObject({ position: 1001, problem: "changed" });
  });
});
