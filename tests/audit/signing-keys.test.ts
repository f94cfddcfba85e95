import { execFile } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SigningKey } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prune } from "../../packages/countersign/src/retention/prune.js";
import { freshPostgres } from "../support/databases.js";
import { executedCall, openPast } from "../support/evidence/past.js";

const main = fileURLToPath(new URL("../../packages/countersign/dist/cli/main.js", import.meta.url));

function countersign(args: string[], env: Record<string, string>) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [main, ...args], { env: { ...process.env, ...env } }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
    });
  });
}

const secret = "a-secret-of-at-least-thirty-two-bytes";
const newer = { id: "2026", secret: "another-secret-of-at-least-32-bytes!!" };
const bytes = Buffer.alloc(32, 7);

function service(id: string, algorithm: "EdDSA" | "ES256") {
  const { privateKey, publicKey } =
    algorithm === "EdDSA"
      ? generateKeyPairSync("ed25519")
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const half = { id, algorithm, publicKey: publicKey.export({ format: "jwk" }) };
  const hash = algorithm === "EdDSA" ? null : "sha256";
  const signed = async (data: Uint8Array) => sign(hash, data, { key: privateKey, dsaEncoding: "ieee-p1363" });
  return { half, key: { ...half, sign: signed } };
}

const ed = service("kms-1", "EdDSA");
const ec = service("kms-2", "ES256");

/** A key that seals, and what the variable holds. */
const kinds: [string, SigningKey, unknown][] = [
  ["a secret", secret, secret],
  ["a named secret", { id: "k1", secret }, { id: "k1", secret }],
  ["a current key", { current: { id: "k1", secret } }, { current: { id: "k1", secret }, ttl: "60d" }],
  ["a secret of bytes", bytes, { secret: { base64: bytes.toString("base64") } }],
  ["a previous key", { current: { id: "k1", secret } }, { current: newer, previous: [{ id: "k1", secret }] }],
  ["a previous key without an id", secret, { current: newer, previous: [{ secret }] }],
  ["a public key", ed.key, ed.half],
  ["a public key of P-256", ec.key, ec.half],
  ["a current public key", { current: ed.key }, { current: ed.half, previous: [{ secret }] }],
  ["a previous public key", ed.key, { current: newer, previous: [ed.half] }],
];

const asText = (keys: unknown) => (typeof keys === "string" ? keys : JSON.stringify(keys));

/** A database whose log begins with a segment that this key sealed. */
async function sealedWith(key: SigningKey) {
  const database = await freshPostgres(2);
  const { store, daysAgo } = await openPast(database);
  await daysAgo(900, () => executedCall(store));
  await daysAgo(700, () => executedCall(store));
  await prune(store, undefined, { olderThan: { requests: "180d", proofs: "180d" } });
  await prune(store, createEvidenceSigner(key), { olderThan: { audit: "800d" } });
  return { database, store, at: ["--database-url", database.url, "--signing-key-env", "KEYS"] };
}

describe("audit verify", () => {
  it.each(kinds)("is silent about an untouched log that was sealed with %s", async (_kind, key, variable) => {
    const { database, at } = await sealedWith(key);
    const { code, out, err } = await countersign(["audit", "verify", ...at], { KEYS: asText(variable) });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^"acme": \d+ entries, all in order; .*; sealed up to /);
    await database[Symbol.asyncDispose]();
  });

  it("names the key that it lacks, with exit code 2, and still finds a change", async () => {
    const { database, at } = await sealedWith(ed.key);
    const verify = (...args: string[]) =>
      countersign(["audit", "verify", ...at, ...args], { KEYS: asText(newer) });
    const unknown = await verify();
    expect([unknown.code, unknown.out]).toEqual([
      2,
      expect.stringMatching(/^"acme": UNKNOWN KEY\. Entry 1: .*"kms-1"/),
    ]);
    expect(JSON.parse((await verify("--json")).out)).toMatchObject({ ok: false, problem: "unknown_key" });
    await database.admin`alter table countersign.audit_entries disable trigger all`;
    await database.admin`update countersign.audit_entries set actor_id = 'eve'
      where position = (select max(position) from countersign.audit_entries)`;
    expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining("BROKEN, changed") });
    await database[Symbol.asyncDispose]();
  });

  it.each([
    ["broken JSON", '{"current":', "KEYS is not valid JSON"],
    ["an unknown field", '{"secrets":"x"}', "unknown field"],
    ["a short secret", '{"id":"a","secret":"x"}', "at least 32 bytes"],
  ])("refuses %s, without showing it", async (_what, KEYS, why) => {
    const args = [
      "audit",
      "verify",
      "--database-url",
      "postgres://127.0.0.1:1/x",
      "--signing-key-env",
      "KEYS",
    ];
    const { code, err } = await countersign(args, { KEYS });
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
    expect(err).not.toContain(KEYS);
  });
});

it("prune signs with a named key, and refuses a public key, which cannot sign", async () => {
  const { database, store, at } = await sealedWith({ id: "k1", secret });
  const { code } = await countersign(["prune", ...at, "--audit", "1y"], {
    KEYS: asText({ current: newer, previous: [{ id: "k1", secret }] }),
  });
  expect(code).toBe(0);
  const rotated = createEvidenceSigner({ current: newer, previous: [{ id: "k1", secret }] });
  expect(await store.verifyAudit("acme", undefined, rotated)).toMatchObject({
    ok: true,
    sealed: [{ signed: true }, { signed: true }],
  });
  const refused = await countersign(["prune", ...at, "--audit", "1y"], { KEYS: asText(ed.half) });
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("a public key alone cannot sign")]);
  await database[Symbol.asyncDispose]();
});

describe("audit verify --heads", () => {
  let world: Awaited<ReturnType<typeof sealedWith>>;
  let saved: string;
  const verify = (...args: string[]) =>
    countersign(["audit", "verify", "--database-url", world.database.url, ...args], {});

  beforeAll(async () => {
    world = await sealedWith(secret);
    await executedCall(world.store, { tenantId: "bolt" });
    saved = join(mkdtempSync(join(tmpdir(), "heads-")), "heads.jsonl");
    writeFileSync(saved, (await verify("--json")).out);
  });
  afterAll(() => world.database[Symbol.asyncDispose]());

  it("accepts logs that have grown, and a tenant that is new", async () => {
    await executedCall(world.store);
    await executedCall(world.store, { tenantId: "new" });
    expect(await verify("--heads", saved)).toMatchObject({ code: 0, err: "" });
  });

  it("finds a tenant whose log and rows were all removed", async () => {
    const { admin } = world.database;
    await admin.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      const tables = await tx`select table_name as name from information_schema.columns
        where table_schema = 'countersign' and column_name = 'tenant_id'`;
      for (const { name } of tables) {
        await tx.unsafe(`alter table countersign.${name} disable trigger all`);
        await tx.unsafe(`delete from countersign.${name} where tenant_id = 'bolt'`);
      }
    });
    const blind = await verify();
    expect([blind.code, blind.out]).toEqual([0, expect.not.stringContaining("bolt")]);
    const { code, out } = await verify("--heads", saved);
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('"bolt": BROKEN, head. Entry 1: the log ends at entry 0'),
    ]);
    expect(out).toContain('"acme": ');
  });

  it.each([
    ["a missing file", ["--heads", "missing.jsonl"], "--heads missing.jsonl"],
    ["a file that is not its output", ["--heads", fileURLToPath(import.meta.url)], "audit verify --json"],
    ["an anchor beside it", ["--heads", "x", "--tenant", "a", "--anchor", `1:${"0".repeat(64)}`], "--anchor"],
  ])("refuses %s", async (_what, args, why) => {
    const { code, err } = await verify(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });
});
