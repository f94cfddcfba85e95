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
import { expect, it } from "vitest";
import { evidenceRow, otherSecret, secret, withKey } from "../support/evidence/tampering.js";
import { postgresStore } from "../support/store.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const older = { id: "2025", secret };
const newer = { id: "2026", secret: otherSecret };

it("evidence of a previous key is still valid, and evidence of an unknown key waits for a process that has it", async () => {
  for (const { keys, runs } of [
    { keys: { current: newer, previous: [older] }, runs: true },
    { keys: { current: newer }, runs: false },
  ]) {
    await using world = await openWaitingRefund({ countersign: { signingKey: { current: older } } });
    const { harness, approval } = world;
    await harness.engine.stop();
    await harness.decide(approval, "approve");
    const claim = harness.store.claim(approval.id, "once", () => undefined, createEvidenceSigner(keys));
    if (runs) expect(await claim).toMatchObject({ outcome: "claimed" });
    else await expect(claim).rejects.toMatchObject({ code: "signing_key_missing" });
    expect((await harness.approval(approval.id)).status).toBe(runs ? "executing" : "approved");
  }
});

it("a plain secret may become a previous key without an id", async () => {
  await using world = await openWaitingRefund(withKey);
  await world.harness.decide(world.approval, "deny");
  const { token } = await evidenceRow(world);
  const rotated: SigningKey = { current: { secret: otherSecret }, previous: [{ secret }] };
  expect((await verifyEvidence(token, rotated)).ok).toBe(true);
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
