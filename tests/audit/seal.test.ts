import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prune } from "@countersign/cli/operating";
import { createEvidenceSigner } from "countersign/evidence";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../support/audit-log.js";
import { countersign } from "../support/command-line.js";
import { everyDatabase, freshPostgres, type TestDatabase } from "../support/databases.js";
import { executedCall, interruptedCall, openPast, type Past, signer } from "../support/evidence/past.js";
import { entries, sealableTenants, segments, years } from "../support/evidence/sealable-tenants.js";
import { interceptedRetention } from "../support/intercepted-store.js";
import type { Store } from "../support/store.js";

const reader = signer;

describe.each(everyDatabase)("sealing on $name", ({ name, open }) => {
  let database: TestDatabase;
  let past: Past;
  let store: Store;
  let openTenant: ReturnType<typeof sealableTenants>;

  beforeAll(async () => {
    database = await open();
    past = await openPast(database);
    store = past.store;
    openTenant = sealableTenants(past);
  });
  afterAll(async () => {
    await store.close();
    await database[Symbol.asyncDispose]();
  });

  it("removes old entries, and the rest verifies from the sealed head", async () => {
    const { log, verify } = await openTenant("acme");
    const before = await log();
    expect(before).toHaveLength(15);
    const head = before[9];
    const { sealed, removed } = await prune({ store, signer }, years);
    expect(removed.audit_entries).toBe(10);
    expect(sealed).toMatchObject([{ firstPosition: 1, lastPosition: 10, headHash: head?.hash }]);
    const after = await log();
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
    expect((await prune({ store, signer }, years)).sealed).toEqual([]);
  });

  it("continues with a new segment where the last one ended", async () => {
    const { verify, ...tenant } = await openTenant("twice");
    const first = await past.daysAgo(500, () => tenant.prune());
    expect(first.sealed).toMatchObject([{ firstPosition: 1, lastPosition: 5 }]);
    const second = await tenant.prune();
    expect(second.sealed).toMatchObject([{ firstPosition: 6, lastPosition: 10 }]);
    expect(await verify()).toMatchObject({ ok: true, sealed: [{ lastPosition: 5 }, { lastPosition: 10 }] });
  });

  it("keeps all entries from the first one about a call that still exists", async () => {
    const tenantId = "bolt";
    const [gone, cutOff] = await past.daysAgo(700, async () => [
      await executedCall(store, { tenantId }),
      await interruptedCall(store, { tenantId }),
      await executedCall(store, { tenantId }),
    ]);
    // The requests stay, so the entries about them stay too.
    const all = await prune({ store, signer }, { tenantId, olderThan: { audit: "30d" } });
    expect(all).toMatchObject({ sealed: [], held: [{ tenantId, position: 1, approvalId: gone?.id }] });
    const first = (await store.auditTrail(tenantId, cutOff?.id ?? ""))[0]?.position ?? 0;
    const { held, sealed } = await prune({ store, signer }, { ...years, tenantId });
    expect(held).toMatchObject([{ position: first, approvalId: cutOff?.id, type: "approval.proposed" }]);
    expect(sealed).toMatchObject([{ firstPosition: 1, lastPosition: first - 1 }]);
    expect(await store.verifyAudit(tenantId, undefined, reader)).toMatchObject({ ok: true, deleted: 1 });
  });

  it("loses no entry when it fails while it seals or removes", async () => {
    const { log, verify, ...tenant } = await openTenant("broken");
    const before = await log();
    for (const verb of ["sealPart", "deleteSealed"] as const) {
      const breaking = interceptedRetention(store, {
        [verb]: () => Promise.reject(new Error("killed")),
      });
      await expect(tenant.prune({}, breaking)).rejects.toThrow("killed");
      expect((await log()).slice(0, 15)).toEqual(before);
      expect(await verify()).toMatchObject({ ok: true });
    }
    let batches = 0;
    const breaking = interceptedRetention(store, {
      deleteSealed: async (carryOut, input) => {
        batches += 1;
        if (batches === 3) throw new Error("killed");
        return carryOut({ ...input, limit: 2 });
      },
    });
    await expect(tenant.prune({}, breaking)).rejects.toThrow("killed");
    expect((await log())[0]?.position).toBe(5);
    expect(await verify()).toMatchObject({ ok: true });
    expect((await tenant.prune()).removed).toEqual({ audit_entries: 6 });
    expect(await verify()).toMatchObject({ ok: true, sealed: [{ lastPosition: 10 }] });
  });

  it("keeps the entries when the archive fails", async () => {
    const { log, verify, ...tenant } = await openTenant("full");
    const before = await log();
    const archive = () => Promise.reject(new Error("disk full"));
    await expect(tenant.prune({ archive })).rejects.toThrow("disk full");
    expect((await log()).slice(0, 15)).toEqual(before);
    expect((await verify()).ok).toBe(true);
  });

  it("requires a valid signature of each segment when verification has a key", async () => {
    const { tenantId, verify } = await openTenant("unsigned");
    await prune({ store, signer: undefined }, { ...years, tenantId });
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, sealed: [{ signed: false }] });
    expect(await verify()).toMatchObject({
      problem: "segment",
      message: expect.stringContaining("not signed"),
    });
    const other = createEvidenceSigner("another-secret-of-at-least-32-bytes!!");
    const ofOther = await openTenant("signed by another");
    await prune({ store, signer: other }, { ...years, tenantId: ofOther.tenantId });
    expect(await store.verifyAudit(ofOther.tenantId, undefined, other)).toMatchObject({ ok: true });
    expect(await ofOther.verify()).toMatchObject({
      problem: "unknown_key",
      message: expect.stringMatching(/signed with the key ".+", which is not among the given keys/),
    });
  });

  describe("is protected by the database, which", () => {
    let unsealed: Awaited<ReturnType<typeof openTenant>>;
    let sealed: Awaited<ReturnType<typeof openTenant>>;
    beforeAll(async () => {
      unsealed = await openTenant("unsealed");
      await unsealed.pruneRows();
      sealed = await openTenant("sealed");
      await sealed.sealOnly();
    });

    const from = (position: number) =>
      `from ${entries} where tenant_id = 'unsealed' and position = ${position}`;

    it.each([
      `delete from ${entries} where tenant_id = 'unsealed' and position <= 10`,
      `delete from ${entries} where tenant_id = 'unsealed' and position > 10`,
      `delete from ${entries} where tenant_id = 'sealed' and position = 10`,
      `delete from ${entries} where tenant_id = 'sealed' and position between 2 and 10`,
      `delete from ${entries} where tenant_id = 'sealed' and position > 1 and position <= 10`,
      `delete from ${segments} where tenant_id = 'sealed'`,
      `update ${segments} set head_hash = hash where tenant_id = 'sealed'`,
      `truncate ${segments}`,
      `insert into ${segments} select tenant_id, 1, position, hash, repeat('0', 64), hash, now() ${from(12)}`,
      `insert into ${segments} select tenant_id, 2, position, hash, repeat('0', 64), hash, now() ${from(5)}`,
      `insert into ${segments} select tenant_id, 1, position, prev_hash, repeat('0', 64), hash, now() ${from(5)}`,
      `insert into ${segments} select tenant_id, 1, position, hash, hash, hash, now() ${from(5)}`,
      `insert into ${segments} select tenant_id, 1, position, hash, repeat('0', 64), hash, now() ${from(5)}`,
    ])("refuses: %s", async (statement) => {
      const before = [await unsealed.log(), await sealed.log()];
      await expect(runSql(database, statement)).rejects.toMatchObject({ code: "42501" });
      expect([await unsealed.log(), await sealed.log()]).toEqual(before);
      for (const { verify } of [unsealed, sealed]) expect(await verify()).toMatchObject({ ok: true });
    });

    it("lets sealed entries be removed from the front", async () => {
      await runSql(database, `delete from ${entries} where tenant_id = 'sealed' and position <= 2`);
      expect((await sealed.log())[0]?.position).toBe(3);
      expect(await sealed.verify()).toMatchObject({ ok: true });
    });
  });

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
    const { held, sealed } = await prune({ store, signer }, { tenantId, olderThan: { audit: "30d" } });
    // The first entry that is still valid names the latest deadline of the call.
    expect(held).toMatchObject([{ tenantId, type: "approval.announced" }]);
    expect(sealed).toMatchObject([{ lastPosition: Number(decided?.position) - 2 }]);
  });

  it.skipIf(name === "PGlite")(
    "seals each entry once when several runs overlap, and verification succeeds meanwhile",
    async () => {
      const tenantId = "overlap";
      for (let n = 0; n < 10; n++) await past.daysAgo(700, () => executedCall(store, { tenantId }));
      let done = false;
      const options = { ...years, tenantId, batchSize: 3 };
      const pruning = Promise.all([1, 2, 3].map(() => prune({ store, signer }, options))).finally(() => {
        done = true;
      });
      let verified = 0;
      while (!done) {
        expect(await store.verifyAudit(tenantId, undefined, reader)).toMatchObject({ ok: true });
        verified += 1;
      }
      // Entries that one run still held while the others sealed are left for the next run.
      const reports = [...(await pruning), await prune({ store, signer }, options)];
      expect(verified).toBeGreaterThan(0);
      const lengths = reports
        .flatMap(({ sealed }) => sealed)
        .map(({ firstPosition, lastPosition }) => lastPosition - firstPosition + 1);
      expect(lengths.reduce((sum, length) => sum + length)).toBe(50);
      const removed = reports.reduce((sum, report) => sum + (report.removed.audit_entries ?? 0), 0);
      expect(removed).toBe(50);
      expect(await store.verifyAudit(tenantId, undefined, reader)).toMatchObject({ ok: true });
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
