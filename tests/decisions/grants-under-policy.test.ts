import { ask, deny } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  approveWithGrant,
  exactGrant,
  grantableTerms,
  liveGrants,
  openGrantDesk,
  refundCall,
} from "../support/agents/grant-desk.js";
import { callsOf } from "../support/calls-from-message.js";
import { eventually } from "../support/harness.js";

describe("a grant under a changed policy", () => {
  const rules = {
    "denies the call": deny("Not today"),
    "permits no grants": ask({ approvers: { roles: ["finance", "lead"] } }),
    "permits grants of another scope only": ask({ ...grantableTerms, grantable: ["thread"] }),
    "asks for two approvals": ask({ ...grantableTerms, quorum: 2 }),
    "names other approvers": ask({ ...grantableTerms, approvers: { roles: ["lead"] } }),
  };

  let rule = ask(grantableTerms);
  let desk: Awaited<ReturnType<typeof openGrantDesk>>;
  beforeAll(async () => {
    desk = await openGrantDesk({ refund: { refund: () => rule } });
    await desk.grant(refundCall(80), { scope: "team", arguments: "any" });
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(Object.entries(rules))("does not apply if the policy %s", async (_what, strict) => {
    const { harness, effects } = desk;
    const ran = effects.length;
    rule = strict;
    const { runId } = await harness.say(refundCall(80));
    if (strict.kind === "ask") {
      const waiting = await eventually(async () => {
        const { body } = await harness.call("lead", "/approvals?status=pending");
        return body.items[0];
      }, "it asks");
      await harness.decide(waiting, "deny", "lead");
    }
    await harness.ended(runId);
    expect(effects).toHaveLength(ran);
    rule = ask(grantableTerms);
    await harness.ended((await harness.say(refundCall(80))).runId);
    expect(effects).toHaveLength(ran + 1);
  });

  it("does not cover the grantor's own calls if they may no longer approve them", async () => {
    let rule = ask({ grantable: ["team"] });
    await using desk = await openGrantDesk({ refund: { refund: () => rule } });
    const { harness } = desk;
    await desk.grant(refundCall(80), { scope: "team", arguments: "any" }, { token: "requester" });
    rule = ask({ grantable: ["team"], requesterMayNotApprove: true });
    const { runId } = await harness.say(refundCall(80));
    const approval = await harness.onlyPending();
    expect(
      (await approveWithGrant(harness, approval, { scope: "team", arguments: "any" }, "requester")).body.code,
    ).toBe("self_approval");
    await harness.decide(approval, "deny");
    await harness.ended(runId);
    expect(desk.effects).toHaveLength(1);
  });
});

describe("a granted call that has not started", () => {
  /** A model response with a granted call and a pending one, so that the granted call has not started yet. */
  async function openGrantedCall() {
    let rule = ask(grantableTerms);
    const desk = await openGrantDesk({ refund: { refund: () => rule, email: ask({}) } });
    const { threadId } = await desk.grant(refundCall(80), exactGrant);
    const email = { name: "email", input: { to: "a@b.c", text: "Hello" } };
    const message = callsOf({ name: "refund", input: { id: "A-1", amount: 80 } }, email);
    const { runId } = await desk.harness.say(message, threadId);
    const waiting = await desk.harness.onlyPending();
    const grantedCall = async () =>
      (await desk.harness.store.listApprovals({ tenantId: "acme", limit: 9 })).find(({ grantId }) => grantId);
    expect(await grantedCall()).toMatchObject({ status: "approved" });
    return { desk, runId, waiting, grantedCall, change: (to: typeof rule) => (rule = to) };
  }

  it("is withdrawn if its grant is revoked, and the model reads why", async () => {
    const { desk, runId, waiting, grantedCall } = await openGrantedCall();
    await using _ = desk;
    const { harness } = desk;
    const [grant] = await liveGrants(harness);
    const revoke = () => harness.call("lead", `/grants/${grant.id}/revoke`, { method: "POST" });
    expect((await revoke()).body).toMatchObject({ status: "revoked", revokedBy: "lead", mayRevoke: false });
    expect((await revoke()).status).toBe(200);
    await harness.decide(waiting, "approve");
    await harness.ended(runId);
    expect(desk.effects.map(({ tool }) => tool)).toEqual(["refund", "email"]);
    expect(await grantedCall()).toMatchObject({ status: "withdrawn", withdrawalCause: "grant_revoked" });
    expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain(
      "the standing permission that covered it was revoked",
    );
    const trail = await harness.store.auditTrail("acme", grant.approvalId);
    expect(trail.filter(({ type }) => type === "grant.revoked")).toHaveLength(1);
  });

  it("is withdrawn if its rule no longer permits grants", async () => {
    const { desk, runId, waiting, grantedCall, change } = await openGrantedCall();
    await using _ = desk;
    change(ask({ approvers: grantableTerms.approvers }));
    await desk.harness.decide(waiting, "approve");
    await desk.harness.ended(runId);
    expect(await grantedCall()).toMatchObject({ status: "withdrawn", withdrawalCause: "policy_changed" });
  });
});
