import { inspect } from "node:util";
import {
  ask,
  type CountersignError,
  type CountersignOptions,
  createCountersign,
  definePolicy,
  type SigningKey,
} from "countersign";
import { createEvidenceSigner, verifyEvidence } from "countersign/evidence";
import { Inngest } from "inngest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { otherSecret, secret } from "../support/evidence/tampering.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

const older = { id: "2025", secret };
const newer = { id: "2026", secret: otherSecret };

describe("the evidence of a decision", () => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let store: Store;
  beforeAll(async () => {
    database = await freshPostgres();
    store = await openStore(database);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  /** A call that was approved with this key, and the token of its evidence. */
  async function approved(key: SigningKey) {
    const [call] = await proposeCall(store);
    if (!call) throw new Error("unreachable");
    const principal = { id: "finance", tenantId: "acme", roles: [] };
    const decision = { approvalId: call.id, principal, type: "approve", digest: call.digest } as const;
    await store.decide({ ...decision, reason: null }, createEvidenceSigner(key));
    const { token = "" } = (await store.readEvidence("acme", call.id)) ?? {};
    return { id: call.id, token };
  }

  it.each([
    { what: "of a previous key is still valid", key: older, keys: { current: newer, previous: [older] } },
    {
      what: "of a plain secret is still valid when that becomes a previous key without an id",
      ...{ key: secret, keys: { current: { secret: otherSecret }, previous: [{ secret }] } },
    },
  ])("$what", async ({ key, keys }) => {
    const { id, token } = await approved(key);
    expect((await verifyEvidence(token, keys)).ok).toBe(true);
    const claim = await store.claim(id, "once", () => undefined, createEvidenceSigner(keys));
    expect(claim).toMatchObject({ outcome: "claimed" });
  });

  it("of an unknown key waits for a process that has it", async () => {
    const { id } = await approved(older);
    const claim = store.claim(id, "once", () => undefined, createEvidenceSigner(newer));
    await expect(claim).rejects.toMatchObject({ code: "signing_key_missing" });
    expect((await store.getApproval("acme", id))?.status).toBe("approved");
  });
});

it.each<[string, unknown]>([
  ["signingKey", "short-secret"],
  ["signingKey", new Uint8Array(31)],
  ["signingKey", 5],
  ["signingKey", { current: older, older: [] }],
  ["signingKey.current", { current: undefined }],
  ["signingKey.current.secret", { current: { id: "a", secret: "short-secret" } }],
  ["signingKey.current.id", { current: { id: " ", secret } }],
  ["signingKey.previous", { current: older, previous: older }],
  ["signingKey.previous[0].secret", { current: older, previous: [{ id: "b", secret: "short-secret" }] }],
  ["signingKey.previous[0].id", { current: older, previous: [{ id: "2025", secret: otherSecret }] }],
  ["signingKey.ttl", { current: older, ttl: "soon" }],
  ["signingKey.ttl", { current: older, ttl: "2y" }],
])("an invalid %s is rejected by name, without showing its value", (field, signingKey) => {
  let error: CountersignError | undefined;
  try {
    instance({ signingKey: signingKey as SigningKey });
  } catch (thrown) {
    error = thrown as CountersignError;
  }
  expect(error).toMatchObject({ code: "invalid_option" });
  expect(error?.message.startsWith(`${field}: `)).toBe(true);
  expect(inspect(error, { depth: 9 })).not.toContain("short-secret");
  expect(inspect(error, { depth: 9 })).not.toContain(secret);
});

it("signing keys do not appear in an inspected or serialized instance", () => {
  const countersign = instance({ signingKey: { current: older, previous: [newer] } });
  for (const text of [inspect(countersign, { depth: 6 }), safeJson(countersign)]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(otherSecret);
    expect(text).not.toContain("hmac");
  }
});

function instance(options: Partial<CountersignOptions>) {
  return createCountersign({
    inngest: new Inngest({ id: "keys" }),
    store: postgresStore({ url: "postgres://127.0.0.1/unused" }),
    policy: definePolicy({ tools: { refund: ask() } }),
    ...options,
  });
}

function safeJson(value: unknown): string {
  const seen = new WeakSet();
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null) return part;
    if (seen.has(part)) return undefined;
    seen.add(part);
    return part;
  });
}
