import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";

const iban = "CH02 0070 0110 0006 0249 7";
const payout = { supplierId: "S-3", amount: 5000, iban };

let demo: DemoWorld;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo[Symbol.asyncDispose]());

async function askForPayout(amount = 5000) {
  const threadId = await demo.say(`Pay out ${amount} EUR to supplier S-3`);
  return { threadId, approval: await demo.waiting(threadId) };
}

describe("a payout that needs two of three roles", () => {
  it("is paid once when people of two roles approve", async () => {
    const { threadId, approval } = await askForPayout();
    expect(approval).toMatchObject({
      summary: "Pay 5,000 EUR to supplier S-3",
      approvers: { roles: ["finance", "lead", "legal"] },
      quorum: 2,
    });
    expect(await demo.decide("finance", approval, { type: "approve" })).toMatchObject({
      status: 200,
      body: { status: "pending", votes: [{ principalId: "finance" }] },
    });
    expect(await demo.effectsOf(approval.id)).toEqual([]);
    expect(await demo.decide("legal", approval, { type: "approve" })).toMatchObject({
      status: 200,
      body: { status: "approved" },
    });
    expect(await demo.lastWords(threadId)).toBe("Supplier S-3 is paid: 5000.00 EUR.");
    expect(await demo.effectsOf(approval.id)).toMatchObject([{ toolName: "pay_supplier", input: payout }]);
  });

  it("is denied for good by one person, and the model reads the reason", async () => {
    const { threadId, approval } = await askForPayout(5100);
    await demo.decide("finance", approval, { type: "approve" });
    const veto = { type: "deny", reason: "No contract" };
    expect(await demo.decide("legal", approval, veto)).toMatchObject({
      status: 200,
      body: { status: "denied" },
    });
    expect(await demo.decide("lead", approval, { type: "approve" })).toMatchObject({
      status: 409,
      body: { code: "already_decided" },
    });
    expect(await demo.lastWords(threadId)).toContain("a person denied it");
    expect(demo.lastModelRequest()).toMatch(/denied_by_person.*Their reason: No contract/);
    expect(await demo.effectsOf(approval.id)).toEqual([]);
  });

  it("is not paid when two people of the same role approve, but when a second role does", async () => {
    const { approval } = await askForPayout(5200);
    await demo.decide("finance", approval, { type: "approve" });
    expect(await demo.decide("accountant", approval, { type: "approve" })).toMatchObject({
      status: 200,
      body: { status: "pending" },
    });
    expect(await demo.approval("lead", approval.id)).toMatchObject({
      status: "pending",
      votes: [{ principalId: "finance" }, { principalId: "accountant" }],
    });
    expect(await demo.effectsOf(approval.id)).toEqual([]);
    expect((await demo.decide("lead", approval, { type: "approve" })).body.status).toBe("approved");
    await demo.lastWords(approval.threadId);
    expect(await demo.effectsOf(approval.id)).toHaveLength(1);
  });

  it("cannot be approved by an admin or the requester, and cannot be edited", async () => {
    const { approval } = await askForPayout(5300);
    expect((await demo.decide("admin", approval, { type: "approve" })).status).toBe(404);
    expect((await demo.decide("requester", approval, { type: "approve" })).status).toBe(403);
    const input = { ...payout, amount: 1 };
    expect((await demo.decide("lead", approval, { type: "edit", input })).status).toBe(409);
  });

  it("shows the account to legal, but not to finance, the lead or the requester", async () => {
    const { approval } = await askForPayout(5400);
    for (const who of ["finance", "lead", "requester"]) {
      expect(JSON.stringify(await demo.approval(who, approval.id))).not.toContain(iban);
    }
    expect(await demo.approval("legal", approval.id)).toMatchObject({ input: { iban } });
  });
});

it("an admin can approve a payout after its escalation", async () => {
  const shipped = fileURLToPath(new URL("../../apps/demo/policy.yaml", import.meta.url));
  const file = join(mkdtempSync(join(tmpdir(), "countersign-policy-")), "policy.yaml");
  const text = readFileSync(shipped, "utf8");
  expect(text).toContain("after: 20m");
  writeFileSync(file, text.replace("after: 20m", "after: 1s"));
  await using escalating = await openDemo({ POLICY_FILE: file });
  const threadId = await escalating.say("Pay out 5000 EUR to supplier S-3");
  const escalated = await escalating.waiting(threadId, "admin");
  await escalating.decide("finance", escalated, { type: "approve" });
  expect((await escalating.decide("admin", escalated, { type: "approve" })).body.status).toBe("approved");
  expect(await escalating.lastWords(threadId)).toBe("Supplier S-3 is paid: 5000.00 EUR.");
});
