import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEvidenceSigner } from "countersign/evidence";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { prune } from "../../packages/countersign/src/retention/prune.js";
import { runSql, wholeLog } from "../support/audit-log.js";
import { countersign } from "../support/command-line.js";
import { everyDatabase, freshPostgres, type TestDatabase } from "../support/databases.js";
import { executedCall, interruptedCall, openPast, type Past, signer } from "../support/evidence/past.js";
import { interceptedStore } from "../support/intercepted-store.js";
import type { Store } from "../support/store.js";

const entries = "countersign.audit_entries";
const heads = "countersign.audit_heads";
const segments = "countersign.audit_segments";
const years = { olderThan: { ...{ requests: "180d", grants: "180d", proofs: "180d" }, audit: "1y" } };
const reader = signer;

describe.each(everyDatabase)("sealing on $name", ({ name, open }) => {
  let database: TestDatabase;
  let past: Past;
  let store: Store;
  const verify = (anchor?: { position: number; hash: string }) => store.verifyAudit("acme", anchor, reader);

  beforeEach(async () => {
    database = await open();
    past = await openPast(database);
    store = past.store;
    for (const days of [900, 800]) await past.daysAgo(days, () => executedCall(store));
    await executedCall(store);
  });
  afterEach(async () => {
    await store.close();
    await database[Symbol.asyncDispose]();
  });

  it("removes old entries, and the rest verifies from the sealed head", async () => {
    const before = await wholeLog(store, "acme");
    expect(before).toHaveLength(15);
    const head = before[9];
    const { sealed, removed } = await prune(store, signer, years);
    expect(removed.audit_entries).toBe(10);
    expect(sealed).toMatchObject([{ firstPosition: 1, lastPosition: 10, headHash: head?.hash }]);
    const after = await wholeLog(store, "acme");
    expect(after.slice(0, 5)).toEqual(before.slice(10));
    const sealEntry = after.find(({ type }) => type === "audit.sealed");
    expect(sealEntry?.data).toMatchObject({
      firstPosition: 1,
      lastPosition: 10,
      segmentHash: sealed[0]?.hash,
    });
    expect(await verify()).toMatchObject({
      ok: true,
      entries: after.length,
      sealed: [{ firstPosition: 1, lastPosition: 10, headHash: head?.hash, signed: true }],
    });
    expect(await verify({ position: 10, hash: head?.hash ?? "" })).toMatchObject({ ok: true });
    expect(await verify({ position: 10, hash: "0".repeat(64) })).toMatchObject({ problem: "segment" });
    expect(await verify({ position: 4, hash: "0".repeat(64) })).toMatchObject({
      problem: "segment",
      message: expect.stringContaining("sealed and removed"),
    });
    // No other entry is old, and an entry about the removal alone does not make a segment.
    expect((await prune(store, signer, years)).sealed).toEqual([]);
  });

  it("continues with a new segment where the last one ended", async () => {
    const first = await past.daysAgo(500, () => prune(store, signer, years));
    expect(first.sealed).toMatchObject([{ firstPosition: 1, lastPosition: 5 }]);
    const second = await prune(store, signer, years);
    expect(second.sealed).toMatchObject([{ firstPosition: 6, lastPosition: 10 }]);
    expect(await verify()).toMatchObject({ ok: true, sealed: [{ lastPosition: 5 }, { lastPosition: 10 }] });
  });

  it("puts at most 100,000 entries into one segment", async () => {
    await prune(interceptedStore(store, { sealPart: async () => undefined }), signer, years);
    // A gap in the positions counts like the entries that it leaves out.
    await runSql(database, `alter table ${entries} disable trigger all`);
    await runSql(database, `update ${entries} set position = position + 99992 where position > 6`);
    const yearAgo = new Date(Date.now() - 365 * 86_400_000);
    const { part, held } = await store.sealablePart("acme", yearAgo);
    expect(part).toMatchObject({ firstPosition: 1, lastPosition: 100_000 });
    expect(held).toBeUndefined();
  });

  it("keeps all entries from the first one about a call that still exists", async () => {
    const tenantId = "bolt";
    const [gone, cutOff] = await past.daysAgo(700, async () => [
      await executedCall(store, { tenantId }),
      await interruptedCall(store, { tenantId }),
      await executedCall(store, { tenantId }),
    ]);
    // The requests stay, so the entries about them stay too.
    const all = await prune(store, signer, { tenantId, olderThan: { audit: "30d" } });
    expect(all).toMatchObject({ sealed: [], held: [{ tenantId, position: 1, approvalId: gone?.id }] });
    const first = (await store.auditTrail(tenantId, cutOff?.id ?? ""))[0]?.position ?? 0;
    const { held, sealed } = await prune(store, signer, { ...years, tenantId });
    expect(held).toMatchObject([{ position: first, approvalId: cutOff?.id, type: "approval.proposed" }]);
    expect(sealed).toMatchObject([{ firstPosition: 1, lastPosition: first - 1 }]);
    expect(await store.verifyAudit(tenantId, undefined, reader)).toMatchObject({ ok: true, deleted: 1 });
  });

  it("loses no entry when it fails while it seals or removes", async () => {
    const before = await wholeLog(store, "acme");
    for (const verb of ["sealPart", "deleteSealed"] as const) {
      const breaking = interceptedStore(store, {
        [verb]: () => Promise.reject(new Error("killed")),
      });
      await expect(prune(breaking, signer, years)).rejects.toThrow("killed");
      expect((await wholeLog(store, "acme")).slice(0, 15)).toEqual(before);
      expect(await verify()).toMatchObject({ ok: true });
    }
    let batches = 0;
    const breaking = interceptedStore(store, {
      deleteSealed: async (carryOut, input) => {
        batches += 1;
        if (batches === 3) throw new Error("killed");
        return carryOut({ ...input, limit: 2 });
      },
    });
    await expect(prune(breaking, signer, years)).rejects.toThrow("killed");
    expect((await wholeLog(store, "acme"))[0]?.position).toBe(5);
    expect(await verify()).toMatchObject({ ok: true });
    expect((await prune(store, signer, years)).removed).toEqual({ audit_entries: 6 });
    expect(await verify()).toMatchObject({ ok: true, sealed: [{ lastPosition: 10 }] });
  });

  it("keeps the entries when the archive fails", async () => {
    const before = await wholeLog(store, "acme");
    const archive = () => Promise.reject(new Error("disk full"));
    await expect(prune(store, signer, { ...years, archive })).rejects.toThrow("disk full");
    expect((await wholeLog(store, "acme")).slice(0, 15)).toEqual(before);
    expect((await verify()).ok).toBe(true);
  });

  it("requires a valid signature of each segment when verification has a key", async () => {
    await prune(store, undefined, years);
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, sealed: [{ signed: false }] });
    expect(await verify()).toMatchObject({
      problem: "segment",
      message: expect.stringContaining("not signed"),
    });
    const other = createEvidenceSigner("another-secret-of-at-least-32-bytes!!");
    const database2 = await open();
    const past2 = await openPast(database2);
    await past2.daysAgo(900, () => executedCall(past2.store));
    await prune(past2.store, other, years);
    expect(await past2.store.verifyAudit("acme", undefined, other)).toMatchObject({ ok: true });
    expect(await past2.store.verifyAudit("acme", undefined, reader)).toMatchObject({
      problem: "unknown_key",
      message: expect.stringMatching(/signed with the key ".+", which is not among the given keys/),
    });
    await past2.store.close();
    await database2[Symbol.asyncDispose]();
  });

  it.each([
    `delete from ${entries} where position <= 10`,
    `delete from ${entries} where position > 10`,
    `delete from ${segments}`,
    `update ${segments} set head_hash = hash`,
    `truncate ${segments}`,
    `insert into ${segments} select tenant_id, 1, position, hash, repeat('0', 64), hash, now() from ${entries} where position = 12`,
    `insert into ${segments} select tenant_id, 2, position, hash, repeat('0', 64), hash, now() from ${entries} where position = 5`,
    `insert into ${segments} select tenant_id, 1, position, prev_hash, repeat('0', 64), hash, now() from ${entries} where position = 5`,
    `insert into ${segments} select tenant_id, 1, position, hash, hash, hash, now() from ${entries} where position = 5`,
    `insert into ${segments} select tenant_id, 1, position, hash, repeat('0', 64), hash, now() from ${entries} where position = 5`,
  ])("is protected by the database, which refuses: %s", async (statement) => {
    await prune(interceptedStore(store, { sealPart: async () => undefined }), signer, years);
    const before = await wholeLog(store, "acme");
    if (/^(delete from|update|truncate) countersign.audit_segments/.test(statement)) {
      await prune(interceptedStore(store, { deleteSealed: async () => 0 }), signer, years);
    }
    await expect(runSql(database, statement)).rejects.toMatchObject({ code: "42501" });
    expect((await wholeLog(store, "acme")).slice(0, before.length)).toEqual(before);
  });

  it.each(["position = 10", "position between 2 and 10", "position > 1 and position <= 10"])(
    "removes sealed entries from the front only: not where %s",
    async (where) => {
      await prune(interceptedStore(store, { deleteSealed: async () => 0 }), signer, years);
      const before = await wholeLog(store, "acme");
      await expect(runSql(database, `delete from ${entries} where ${where}`)).rejects.toMatchObject({
        code: "42501",
      });
      expect(await wholeLog(store, "acme")).toEqual(before);
      await runSql(database, `delete from ${entries} where position <= 2`);
      expect(await verify()).toMatchObject({ ok: true });
    },
  );

  it("keeps an entry as long as what it proves is valid, whatever rows exist", async () => {
    const tenantId = "cargo";
    const timeoutMs = 60 * 86_400_000;
    const call = await past.daysAgo(50, () => executedCall(store, { tenantId, timeoutMs }));
    const decided = (await store.auditTrail(tenantId, call.id)).find(
      ({ type }) => type === "approval.approved",
    );
    const tables = ["deliveries", "evidence", "approvals", "requests"];
    for (const table of tables)
      await runSql(database, `delete from countersign.${table} where tenant_id = '${tenantId}'`);
    const { held, sealed } = await prune(store, signer, { tenantId, olderThan: { audit: "30d" } });
    // The first entry that is still valid names the latest deadline of the call.
    expect(held).toMatchObject([{ tenantId, type: "approval.announced" }]);
    expect(sealed).toMatchObject([{ lastPosition: Number(decided?.position) - 2 }]);
  });

  describe("verification with the triggers disabled", () => {
    beforeEach(async () => {
      await past.daysAgo(500, () => prune(store, signer, years));
      await prune(store, signer, years);
      expect(await verify()).toMatchObject({ ok: true, sealed: [{}, {}] });
      for (const table of [entries, heads, segments])
        await runSql(database, `alter table ${table} disable trigger all`);
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
      const log = await wholeLog(store, "acme");
      const [first, second] = log;
      if (!first || !second) throw new Error("unreachable");
      const [last] = await runSql(
        database,
        `select hash from ${segments} order by last_position desc limit 1`,
      );
      const { segmentHash } = await import("../../packages/countersign/src/audit/audit-segment.js");
      const content = {
        ...{ tenantId: "acme", firstPosition: first.position, lastPosition: first.position },
        ...{ headHash: first.hash, previousHash: String(last?.hash) },
      };
      await runSql(database, `insert into ${segments} values ('acme', $1, $1, $2, $3, $4, now(), null)`, [
        first.position,
        first.hash,
        content.previousHash,
        segmentHash(content),
      ]);
      await runSql(database, `delete from ${entries} where position = $1`, [first.position]);
      expect(await store.verifyAudit("acme")).toMatchObject({
        ...{ ok: false, problem: "segment", position: first.position },
        message: expect.stringContaining("no entry for the sealed segment"),
      });
    });
  });

  it.skipIf(name === "PGlite")(
    "seals each entry once when several runs overlap, and verification succeeds meanwhile",
    async () => {
      for (let n = 0; n < 10; n++) await past.daysAgo(700, () => executedCall(store, { tenantId: "bolt" }));
      let done = false;
      const pruning = Promise.all(
        [1, 2, 3].map(() => prune(store, signer, { ...years, batchSize: 3 })),
      ).finally(() => {
        done = true;
      });
      let verified = 0;
      while (!done) {
        expect(await store.verifyAudit("bolt", undefined, reader)).toMatchObject({ ok: true });
        verified += 1;
      }
      // Entries that one run still held while the others sealed are left for the next run.
      const reports = [...(await pruning), await prune(store, signer, { ...years, batchSize: 3 })];
      expect(verified).toBeGreaterThan(0);
      const sealed = reports.flatMap((report) => report.sealed).filter(({ tenantId }) => tenantId === "bolt");
      const lengths = sealed.map(({ firstPosition, lastPosition }) => lastPosition - firstPosition + 1);
      expect(lengths.reduce((sum, length) => sum + length)).toBe(50);
      const removed = reports.reduce((sum, report) => sum + (report.removed.audit_entries ?? 0), 0);
      expect(removed).toBe(60);
      expect(await store.verifyAudit("bolt", undefined, reader)).toMatchObject({ ok: true });
    },
  );
});

describe("the commands prune and forget", () => {
  it("archive removed entries in files that verify without the database", async () => {
    await using database = await freshPostgres();
    const { store, daysAgo } = await openPast(database);
    for (const tenantId of ["acme", "../odd"]) {
      await daysAgo(900, () => executedCall(store, { tenantId }));
      await daysAgo(700, () => executedCall(store, { tenantId }));
      await executedCall(store, { tenantId });
    }
    const at = ["--database-url", database.url];
    const folder = join(mkdtempSync(join(tmpdir(), "archive-")), "parts");
    const ages = [
      "--older-than",
      "180d",
      "--audit",
      "1y",
      "--archive",
      folder,
      "--signing-key-env",
      "SIGNING_KEY",
    ];
    const key = { env: { SIGNING_KEY: "a-secret-of-at-least-thirty-two-bytes" } };
    const dry = await countersign(["prune", ...at, ...ages, "--dry-run"], key);
    expect(dry).toMatchObject({ code: 0, out: expect.stringContaining("Would remove") });
    const done = await countersign(["prune", ...at, ...ages, "--by", "nightly"], key);
    expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/^Removed: .*20 audit_entries/) });
    expect(done.err).toContain('"acme": requests: ');
    expect(readdirSync(folder).sort()).toEqual(["tenant-..%2Fodd.1-10.jsonl", "tenant-acme.1-10.jsonl"]);
    const sealEntry = (await store.listAudit({ tenantId: "acme" })).find(
      ({ type }) => type === "audit.sealed",
    );
    expect(sealEntry).toMatchObject({ actorId: "nightly" });

    const verified = await countersign(["audit", "verify", ...at, "--signing-key-env", "SIGNING_KEY"], key);
    expect(verified.code).toBe(0);
    const [, head = ""] = /"acme".*sealed up to (\d+:[0-9a-f]{64})/.exec(verified.out) ?? [];
    const file = join(folder, "tenant-acme.1-10.jsonl");
    const inFile = (...args: string[]) => countersign(["audit", "verify", "--file", file, ...args]);
    expect(await inFile("--anchor", head)).toEqual({
      code: 0,
      out: `"acme": 10 entries, all in order; head ${head}\n`,
      err: "",
    });
    expect((await inFile("--anchor", `10:${"0".repeat(64)}`)).code).toBe(1);
    expect((await inFile("--anchor", `11:${"0".repeat(64)}`)).code).toBe(2);
    expect((await inFile(...at)).code).toBe(2);

    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    for (const [what, changed] of [
      ["changed", lines.map((line, index) => (index === 4 ? line.replace('"acme"', '"acne"') : line))],
      ["removed", lines.filter((_, index) => index !== 4)],
      ["swapped", [...lines.slice(0, 3), lines[4], lines[3], ...lines.slice(5)]],
    ] as const) {
      expect(changed.join("\n"), what).not.toBe(lines.join("\n"));
      writeFileSync(file, changed.join("\n"));
      expect([what, (await inFile()).code]).toEqual([what, 1]);
    }
    // Verification of a file that does not begin with the first entry names the entry before it.
    writeFileSync(file, lines.slice(5).join("\n"));
    const { prevHash } = JSON.parse(lines[5] ?? "");
    expect((await inFile()).out).toContain(`; continues 5:${prevHash}`);
    await store.close();
  });
});
