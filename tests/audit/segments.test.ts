import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runSql, wholeLog } from "../support/audit-log.js";
import { everyDatabase, type TestDatabase } from "../support/databases.js";
import { openPast, type Past } from "../support/evidence/past.js";
import { entries, sealableTenants, segments } from "../support/evidence/sealable-tenants.js";
import { retentionVerbs, type Store } from "../support/store.js";

// tests/audit/seal.test.ts tests what the database refuses while its triggers are enabled.

const heads = "countersign.audit_heads";

describe.each(everyDatabase)("verification on $name, with the triggers disabled,", ({ open }) => {
  const tables = [entries, heads, segments];
  let database: TestDatabase;
  let past: Past;
  let store: Store;
  let verify: () => ReturnType<Store["verifyAudit"]>;

  beforeAll(async () => {
    database = await open();
    past = await openPast(database);
    store = past.store;
    const tenant = await sealableTenants(past)("acme");
    verify = tenant.verify;
    await past.daysAgo(500, () => tenant.prune());
    await tenant.prune();
    expect(await verify()).toMatchObject({ ok: true, sealed: [{}, {}] });
    for (const table of tables) {
      await runSql(database, `alter table ${table} disable trigger all`);
      await runSql(database, `create table kept_${table.split(".")[1]} as table ${table}`);
    }
  });
  afterAll(async () => {
    await store.close();
    await database[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    for (const table of tables) {
      await runSql(database, `delete from ${table}`);
      await runSql(database, `insert into ${table} table kept_${table.split(".")[1]}`);
    }
    expect(await verify()).toMatchObject({ ok: true });
  });

  it.each([
    ["the last segment is removed", `delete from ${segments} where first_position > 1`, 6],
    ["the first segment is removed", `delete from ${segments} where first_position = 1`, 1],
    ["all segments are removed", `delete from ${segments}`, 1],
    [
      "the head of a segment is changed",
      `update ${segments} set head_hash = repeat('a', 64) where first_position = 1`,
      1,
    ],
    ["segments are made longer", `update ${segments} set last_position = last_position + 1`, 1],
    ["segments are moved to another tenant", `update ${segments} set tenant_id = 'bolt'`, 1],
    ["a signature is removed", `update ${segments} set token = null where first_position = 1`, 1],
    [
      "signatures are swapped",
      `update ${segments} s set token = (select token from ${segments} o where o.first_position <> s.first_position)`,
      1,
    ],
    [
      "the entries about the sealing are removed",
      `delete from ${entries} where type = 'audit.sealed'`,
      undefined,
    ],
    [
      "the last entry about the sealing is removed and the head of the log is moved back",
      `with removed as (
         delete from ${entries} where position = (select max(position) from ${entries} where type = 'audit.sealed')
         returning tenant_id, prev_hash, position
       )
       update ${heads} h set position = removed.position - 1, hash = removed.prev_hash
       from removed where h.tenant_id = removed.tenant_id`,
      6,
    ],
    [
      "an entry about the sealing is changed",
      `update ${entries} set type = 'x' where type = 'audit.sealed'`,
      undefined,
    ],
  ])("reports a broken log when %s", async (_, statement, position) => {
    await runSql(database, statement);
    const found = await verify();
    expect(found.ok).toBe(false);
    if (position !== undefined) expect(found).toMatchObject({ position });
  });

  it("reports a segment that was added without a log entry", async () => {
    const [first] = await wholeLog(store, "acme");
    if (!first) throw new Error("unreachable");
    const [last] = await runSql(database, `select hash from ${segments} order by last_position desc limit 1`);
    const content = {
      ...{ tenantId: "acme", firstPosition: first.position, lastPosition: first.position },
      ...{ headHash: first.hash, previousHash: String(last?.hash) },
    };
    await runSql(database, `insert into ${segments} values ('acme', $1, $1, $2, $3, $4, now(), null)`, [
      first.position,
      first.hash,
      content.previousHash,
      hashCanonical(content),
    ]);
    await runSql(database, `delete from ${entries} where position = $1`, [first.position]);
    expect(await store.verifyAudit("acme")).toMatchObject({
      ...{ ok: false, problem: "segment", position: first.position },
      message: expect.stringContaining("no entry for the sealed segment"),
    });
  });

  it("puts at most 100,000 entries into one segment", async () => {
    const { pruneRows } = await sealableTenants(past)("gap");
    await pruneRows();
    // A gap in the positions counts like the entries that it leaves out.
    await runSql(
      database,
      `update ${entries} set position = position + 99992 where tenant_id = 'gap' and position > 6`,
    );
    const yearAgo = new Date(Date.now() - 365 * 86_400_000);
    const { part, held } = await retentionVerbs(store).sealablePart("gap", yearAgo);
    expect(part).toMatchObject({ firstPosition: 1, lastPosition: 100_000 });
    expect(held).toBeUndefined();
  });
});
