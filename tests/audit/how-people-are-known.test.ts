import { ask, definePolicy } from "countersign";
import { anyOf, apiTokenAuthenticator, cookieSessionAuthenticator, createApiToken } from "countersign/auth";
import { approvalsApi } from "countersign/hono";
import { expect, it } from "vitest";
import { openWaitingRefund } from "../support/waiting-refund.js";

it("each audit entry about a person records how they were authenticated, and never the token", async () => {
  await using waiting = await openWaitingRefund({
    policy: definePolicy({ tools: { refund: ask({ quorum: 2 }) } }),
  });
  const { harness, approval } = waiting;
  const { token, hash } = createApiToken();
  const principal = (id: string) => ({ id, tenantId: "acme", roles: ["finance"] });
  const session = cookieSessionAuthenticator({ keys: ["k".repeat(32)] });
  const api = approvalsApi(harness.countersign, {
    authenticate: anyOf(
      session.authenticate,
      apiTokenAuthenticator({ tokens: [{ id: "pager", hash, principal: principal("bot") }] }),
    ),
  });
  const approve = async (headers: Record<string, string>) => {
    const response = await api.request(`http://localhost/approvals/${approval.id}/decision`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: "http://localhost", ...headers },
      body: JSON.stringify({ type: "approve", digest: approval.digest }),
    });
    return response.status;
  };
  const cookie = await session.signIn(principal("ada"), new Request("http://localhost/"));
  expect(await approve({ authorization: `Bearer ${token}` })).toBe(200);
  expect(await approve({ cookie: cookie.split(";")[0] ?? "" })).toBe(200);
  await harness.ended(waiting.runId);
  const trail = await harness.store.auditTrail("acme", approval.id);
  expect(trail.filter(({ actorId }) => actorId !== "requester" && actorId !== null)).toMatchObject([
    { type: "approval.voted", actorId: "bot", data: { roles: ["finance"], via: "api-token pager" } },
    { type: "approval.approved", actorId: "ada", data: { roles: ["finance"], via: "session" } },
  ]);
  expect(JSON.stringify(trail)).not.toContain(token);
});

it("an audit entry records no way of authentication if the host names none", async () => {
  await using waiting = await openWaitingRefund();
  const { harness, approval } = waiting;
  await harness.decide(approval, "approve");
  const trail = await harness.store.auditTrail("acme", approval.id);
  const approved = trail.find(({ type }) => type === "approval.approved");
  expect(approved?.data).toEqual({ digest: approval.digest, roles: ["finance"] });
});
