import type { Approval, Principal } from "countersign";
import { createEvidenceSigner, type EvidenceSigner } from "countersign/evidence";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { eventually } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const signer = createEvidenceSigner("only for tests, and at least 32 bytes long");

/** An interrupted call, written straight into a store on Postgres. */
async function openInterrupted(
  options: Parameters<typeof proposeCall>[1] & { kind?: "once" | "idempotent" } = {},
  signer?: EvidenceSigner,
) {
  const database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const { kind = "idempotent", ...call } = options;
  const [approval] = await proposeCall(store, { approvers: { roles: ["finance"], ids: [] }, ...call });
  if (!approval) throw new Error("unreachable");
  for (const id of ["one", "two"]) {
    const principal = { ...finance, id };
    const { digest } = approval;
    await store.decide({ approvalId: approval.id, principal, type: "approve", digest, reason: null }, signer);
  }
  await store.claim(approval.id, kind, () => undefined, signer);
  await store.finish(approval.id, { status: "interrupted" });
  const resolve = (
    outcome: "done" | "failed" | "rerun",
    principal = finance,
    note: string | null = null,
    by = signer,
  ) => store.resolve({ approvalId: approval.id, principal, outcome, note }, by);
  const grants = () => database.admin`select * from countersign.grants` as Promise<Record<string, unknown>[]>;
  return {
    ...{ approval, store, resolve, grants, admin: database.admin },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

describe("the resolution of an interrupted call", () => {
  it("is recorded once, and the next person learns who recorded it", async () => {
    await using call = await openInterrupted();
    expect(await call.resolve("done", finance, "It is in the ledger")).toMatchObject({
      outcome: "resolved",
      approval: {
        status: "interrupted",
        resolution: { outcome: "done", resolvedBy: "finance", note: "It is in the ledger" },
      },
    });
    expect(await call.resolve("done", finance, "It is in the ledger")).toMatchObject({ outcome: "repeated" });
    expect(await call.resolve("failed")).toMatchObject({ outcome: "already_resolved" });
    expect(await call.resolve("done", { ...finance, id: "other" })).toMatchObject({
      outcome: "already_resolved",
      approval: { resolution: { resolvedBy: "finance" } },
    });
    const trail = await call.store.auditTrail("acme", call.approval.id);
    expect(trail.filter(({ type }) => type === "approval.resolved")).toMatchObject([
      { actorId: "finance", data: { outcome: "done" } },
    ]);
    expect(await call.grants()).toEqual([]);
  });

  it("is recorded once, with one grant, if twenty people ask for a rerun at once", async () => {
    await using call = await openInterrupted();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => call.resolve("rerun", { ...finance, id: `p${n}` })),
    );
    expect(results.filter(({ outcome }) => outcome === "resolved")).toHaveLength(1);
    expect(results.filter(({ outcome }) => outcome === "already_resolved")).toHaveLength(19);
    expect(await call.grants()).toHaveLength(1);
  });

  it("permits one rerun of exactly the same call, in its thread and for a day", async () => {
    await using call = await openInterrupted();
    expect(await call.resolve("rerun")).toMatchObject({ outcome: "resolved" });
    const [grant] = await call.grants();
    expect(grant).toMatchObject({
      tenant_id: "acme",
      scope: "thread",
      scope_id: "thread",
      tool_name: "refund",
      tool_version: "1",
      approval_id: call.approval.id,
      granted_by: "finance",
      uses_left: 1,
      rerun: true,
      condition: null,
    });
    expect(Number(grant?.expires_at) - Number(grant?.created_at)).toBe(86_400_000);
    const trail = await call.store.auditTrail("acme", call.approval.id);
    expect(trail.at(-1)).toMatchObject({ data: { outcome: "rerun", grantId: grant?.id } });
    const again = () => proposeCall(call.store, { announce: false, approvers: call.approval.approvers });
    expect(await again()).toMatchObject([{ status: "approved", grantId: grant?.id }]);
    expect(await again()).toMatchObject([{ status: "proposed", grantId: null }]);
  });

  it("permits a signed rerun only by a proof that is still the same, and leaves it used", async () => {
    await using call = await openInterrupted({}, signer);
    const signed: string[] = [];
    const slow: EvidenceSigner = {
      ...signer,
      sign: async (kind, claims) => {
        signed.push(kind);
        if (signed.length < 3) await call.admin`update countersign.evidence set via = via`;
        return signer.sign(kind, claims);
      },
    };
    expect(await call.resolve("rerun", finance, null, slow)).toMatchObject({ outcome: "resolved" });
    expect(signed).toEqual(["grant", "grant", "grant"]);
    const proofs = await call.admin`select consumed_at is not null as used from countersign.evidence`;
    expect(proofs).toEqual([{ used: true }]);
    expect(await call.grants()).toMatchObject([{ rerun: true, token: expect.any(String) }]);
  });

  it.each<[string, Parameters<typeof openInterrupted>[0], Principal, string]>([
    ["of a tool that must not start twice", { kind: "once" }, finance, "no_rerun"],
    ["of a call that two people had to approve", { terms: { quorum: 2 } }, finance, "no_rerun"],
    [
      "by a requester who may not approve it",
      { terms: { requesterMayNotApprove: true }, requesterId: "finance" },
      finance,
      "self_approval",
    ],
    ["by somebody who may not decide", {}, { ...finance, id: "requester", roles: [] }, "forbidden"],
    ["by somebody of another tenant", {}, { ...finance, tenantId: "other" }, "not_found"],
  ])("cannot permit a rerun %s", async (_, options, principal, outcome) => {
    await using call = await openInterrupted(options);
    expect(await call.resolve("rerun", principal)).toMatchObject({ outcome });
    expect(await call.grants()).toEqual([]);
    const after = (await call.store.getApproval("acme", call.approval.id)) as Approval;
    expect(after).toMatchObject({ status: "interrupted", resolution: null });
  });
});

describe("POST /approvals/:id/resolution", () => {
  it("records one resolution, sends the host an event, and refuses invalid resolutions", async () => {
    const events: Record<string, unknown>[] = [];
    await using world = await openWaitingRefund({
      onEvent: ({ name, data }) => {
        if (name === "countersign/approval.resolved") events.push(data);
        return "deliver";
      },
    });
    const { harness, approval } = world;
    const resolve = (token: string, body: unknown) =>
      harness.call(token, `/approvals/${approval.id}/resolution`, { method: "POST", body });
    expect(await resolve("finance", { outcome: "done" })).toMatchObject({
      status: 409,
      body: { code: "not_interrupted", approvalStatus: "pending" },
    });
    expect(await resolve("finance", { outcome: "maybe" })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "outcome" }] },
    });
    await harness.store.decide({
      approvalId: approval.id,
      principal: finance,
      type: "approve",
      digest: approval.digest,
      reason: null,
    });
    await harness.store.claim(approval.id, "once", () => undefined);
    await harness.store.finish(approval.id, { status: "interrupted" });
    expect(await harness.approval(approval.id)).toMatchObject({ handlerKind: "once", resolution: null });
    expect(await resolve("finance", { outcome: "rerun" })).toMatchObject({
      status: 409,
      body: { code: "no_rerun", detail: expect.stringMatching(/^outcome: /) },
    });
    expect(await resolve("finance", { outcome: "failed", note: "Not in the ledger" })).toMatchObject({
      status: 200,
      body: {
        status: "interrupted",
        resolution: { outcome: "failed", resolvedBy: "finance", note: "Not in the ledger" },
      },
    });
    expect(await resolve("lead", { outcome: "done" })).toMatchObject({
      status: 409,
      body: { code: "already_resolved", resolvedBy: "finance", outcome: "failed" },
    });
    await eventually(() => events.length > 0 || undefined, "the event");
    expect(events).toMatchObject([
      {
        ...{ outcome: "failed", actorId: "finance" },
        approvalId: approval.id,
        requestId: approval.requestId,
        toolName: "refund",
        threadId: world.threadId,
      },
    ]);
  });
});
