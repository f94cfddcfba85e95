import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prune } from "@countersign/cli/operating";
import type { SigningKey } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countersign } from "../support/command-line.js";
import { freshPostgres } from "../support/databases.js";
import { executedCall, openPast } from "../support/evidence/past.js";

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

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.database[Symbol.asyncDispose]());

async function openWorld() {
  const database = await freshPostgres(2);
  return { database, ...(await openPast(database)) };
}

/** Lets this key seal the first segment of a new tenant's log. */
async function sealWith(key: SigningKey, tenantId: string): Promise<void> {
  const { store, daysAgo } = world;
  for (const days of [900, 700]) await daysAgo(days, () => executedCall(store, { tenantId }));
  await prune({ store, signer: undefined }, { tenantId, olderThan: { requests: "180d", proofs: "180d" } });
  await prune({ store, signer: createEvidenceSigner(key) }, { tenantId, olderThan: { audit: "800d" } });
}

/** Runs a command about this tenant, with these keys in a variable. */
const withKeys = (keys: unknown, tenantId: string, ...argv: string[]) =>
  countersign(
    [...argv, ...["--tenant", tenantId, "--database-url", world.database.url, "--signing-key-env", "KEYS"]],
    { env: { KEYS: typeof keys === "string" ? keys : JSON.stringify(keys) } },
  );

describe("audit verify", () => {
  it.each(kinds)("is silent about an untouched log that was sealed with %s", async (kind, key, variable) => {
    await sealWith(key, kind);
    const { code, out, err } = await withKeys(variable, kind, "audit", "verify");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^".*": \d+ entries, all in order; .*; sealed up to /);
  });

  it("names the key that it lacks, with exit code 2, and still finds a change", async () => {
    await sealWith(ed.key, "changed");
    const verify = (...options: string[]) => withKeys(newer, "changed", "audit", "verify", ...options);
    const unknown = await verify();
    expect([unknown.code, unknown.out]).toEqual([
      2,
      expect.stringMatching(/^"changed": UNKNOWN KEY\. Entry 1: .*"kms-1"/),
    ]);
    expect(JSON.parse((await verify("--json")).out)).toMatchObject({ ok: false, problem: "unknown_key" });
    const { admin } = world.database;
    await admin`alter table countersign.audit_entries disable trigger all`;
    await admin`update countersign.audit_entries set actor_id = 'eve' where tenant_id = 'changed'
      and position = (select max(position) from countersign.audit_entries where tenant_id = 'changed')`;
    await admin`alter table countersign.audit_entries enable trigger all`;
    expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining("BROKEN, changed") });
  });
});

it("prune signs with a named key, and refuses a public key, which cannot sign", async () => {
  const key = { id: "k1", secret };
  await sealWith(key, "pruned");
  const rotated = { current: newer, previous: [key] };
  expect(await withKeys(rotated, "pruned", "prune", "--audit", "1y")).toMatchObject({ code: 0 });
  expect(await world.store.verifyAudit("pruned", undefined, createEvidenceSigner(rotated))).toMatchObject({
    ok: true,
    sealed: [{ signed: true }, { signed: true }],
  });
  const refused = await withKeys(ed.half, "pruned", "prune", "--audit", "1y");
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("a public key alone cannot sign")]);
});

describe("audit verify --heads", () => {
  let saved: string;
  const verify = (...args: string[]) =>
    countersign(["audit", "verify", "--database-url", world.database.url, ...args]);

  beforeAll(async () => {
    // The logs of the tests above are broken, or sealed with other keys.
    await world.database[Symbol.asyncDispose]();
    world = await openWorld();
    await sealWith(secret, "acme");
    await executedCall(world.store, { tenantId: "bolt" });
    saved = join(mkdtempSync(join(tmpdir(), "heads-")), "heads.jsonl");
    writeFileSync(saved, (await verify("--json")).out);
  });

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
});
