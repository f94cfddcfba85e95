import { ask } from "countersign";
import { approvalsApi } from "countersign/hono";
import type { GrantRequest } from "countersign/types";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  approveWithGrant,
  exactGrant,
  grantableTerms,
  liveGrants,
  openGrantDesk,
  refundCall,
} from "../support/agents/grant-desk.js";
import { runSql } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { openHarness, principals } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";

const hiding = ask({ ...grantableTerms, redact: ["id"] });
let rule = ask(grantableTerms);
let desk: Awaited<ReturnType<typeof openGrantDesk>>;
beforeAll(async () => {
  desk = await openGrantDesk({ refund: { refund: () => rule } });
});
afterAll(() => desk[Symbol.asyncDispose]());
// A grant for all would let the calls of later tests through.
beforeEach(async () => {
  rule = ask(grantableTerms);
  desk.effects.length = 0;
  await runSql(desk.database, "update countersign.grants set revoked_at = now() where revoked_at is null");
});

describe("approving with a grant", () => {
  it("fails for an invalid grant without deciding, and records a repeated grant once", async () => {
    rule = ask({ ...grantableTerms, grantable: ["thread"] });
    const { harness } = desk;
    const { runId } = await harness.say(refundCall(80));
    const approval = await harness.onlyPending();
    const refusals: [unknown, number, string, string][] = [
      [{ scope: "team", arguments: "exact" }, 403, "grant_not_allowed", "grant.scope"],
      [
        { scope: "thread", arguments: { when: "input.amount >" } },
        400,
        "invalid_grant",
        "grant.arguments.when",
      ],
      [{ scope: "thread", arguments: { when: "input.amount > 80" } }, 400, "invalid_grant", "does not match"],
      [
        { scope: "thread", arguments: { when: "input.sum > 80" } },
        400,
        "invalid_grant",
        "cannot be evaluated",
      ],
      [
        { scope: "thread", arguments: { when: "secrets.a == 1" } },
        400,
        "invalid_grant",
        "grant.arguments.when",
      ],
      [
        { scope: "thread", arguments: { when: "calls('refund', '1h') < 3" } },
        400,
        "invalid_grant",
        "cannot count over time",
      ],
      [{ ...exactGrant, expiresIn: "10s" }, 400, "invalid_request", "grant.expiresIn"],
      [{ ...exactGrant, expiresIn: "91d" }, 400, "invalid_request", "grant.expiresIn"],
      [{ ...exactGrant, uses: 0 }, 400, "invalid_request", "grant.uses"],
      [{ scope: "thread" }, 400, "invalid_request", "grant.arguments"],
      [{ ...exactGrant, tool: "*" }, 400, "invalid_request", "grant.tool"],
    ];
    for (const [grant, status, code, detail] of refusals) {
      const { body } = await approveWithGrant(harness, approval, grant);
      expect(body).toMatchObject({ status, code, detail: expect.stringContaining(detail) });
    }
    expect((await approveWithGrant(harness, approval, exactGrant, "finance", "deny")).body.code).toBe(
      "invalid_request",
    );
    expect(await harness.approval(approval.id)).toMatchObject({ status: "pending" });
    expect(await liveGrants(harness)).toEqual([]);

    expect((await approveWithGrant(harness, approval, exactGrant)).status).toBe(200);
    expect((await approveWithGrant(harness, approval, exactGrant)).status).toBe(200);
    expect((await approveWithGrant(harness, approval, { ...exactGrant, uses: 3 })).status).toBe(409);
    expect((await approveWithGrant(harness, approval, { ...exactGrant, expiresIn: "480m" })).status).toBe(
      200,
    );
    await harness.ended(runId);
    const trail = await harness.store.auditTrail("acme", approval.id);
    expect(trail.filter(({ type }) => type === "grant.created")).toHaveLength(1);
  });

  it("is not possible for an approval of requireApproval", async () => {
    await using database = await freshPostgres();
    await using harness = await openHarness({
      database,
      tools: [],
      reply: () => ({ text: "unused" }),
      run: ({ countersign, step }) =>
        countersign.requireApproval(step, { action: "drop table", details: { table: "orders" } }),
    });
    const { runId } = await harness.say("go");
    const approval = await harness.onlyPending();
    expect(approval).toMatchObject({ grantable: [], grantSuggestions: [] });
    const { body } = await approveWithGrant(harness, approval, exactGrant);
    expect(body).toMatchObject({ status: 403, code: "grant_not_allowed" });
    await harness.decide(approval, "deny");
    await harness.ended(runId);
  });

  it("comes with suggestions for those who may decide, and the one with a condition is a valid grant", async () => {
    const { harness } = desk;
    const { runId } = await harness.say(refundCall(80));
    const approval = await harness.onlyPending();
    const suggestions = approval.grantSuggestions.map((suggestion) => suggestion.words);
    expect(suggestions).toEqual([
      expect.stringMatching(
        /^Allow exactly this in this conversation, for 8 hours: refund with id: A-1, amount: 80$/,
      ),
      expect.stringMatching(/^Allow exactly this for requester, for 8 hours: /),
      expect.stringMatching(/^Allow exactly this for everyone in the team, for 8 hours: /),
      'Allow refund with amount up to 80 and the same id "A-1" in this conversation, for 8 hours',
    ]);
    const seenByRequester = await harness.call("requester", `/approvals/${approval.id}`);
    expect(seenByRequester.body.grantSuggestions).toEqual([]);
    expect(approval.grantSuggestions.map(({ upTo }) => upTo)).toEqual([null, null, null, "amount"]);
    const last = approval.grantSuggestions.at(-1);
    expect((await approveWithGrant(harness, approval, last?.grant)).status).toBe(200);
    await harness.ended(runId);
    const less = await harness.say(refundCall(30), approval.threadId ?? "");
    await harness.ended(less.runId);
    expect(desk.effects).toHaveLength(2);
    const negative = await harness.say(refundCall(-30), approval.threadId ?? "");
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(negative.runId);
  });

  it.each(["thread", "user", "team"])(
    "comes with a suggestion of exactly this call that is a valid grant for the scope %s",
    async (scope) => {
      const { harness } = desk;
      const { runId } = await harness.say(refundCall(80));
      const approval = await harness.onlyPending();
      const exact = approval.grantSuggestions.filter(({ grant }) => grant.arguments === "exact");
      const suggested = exact.find(({ grant }) => grant.scope === scope)?.grant;
      expect((await approveWithGrant(harness, approval, suggested)).status).toBe(200);
      await harness.ended(runId);
      expect(await liveGrants(harness)).toMatchObject([
        { approvalId: approval.id, scope, arguments: "exact" },
      ]);
    },
  );

  it("quotes names in suggestions that could be mistaken for what is allowed", async () => {
    const { harness } = desk;
    const [call] = await proposeCall(harness.store, {
      ...{ input: { amount: 5, "id for everyone in the team": 7 }, requesterId: "ada, for a day" },
      ...{ approvers: { roles: ["finance"], ids: [] }, terms: { grantable: ["user"] } },
    });
    const { grantSuggestions } = await harness.approval(call?.id ?? "");
    expect(grantSuggestions.map(({ words }) => words)).toEqual([
      expect.stringMatching(/^Allow exactly this for “ada, for a day”, for 8 hours: /),
      expect.stringMatching(
        / and the same “id for everyone in the team” 7 for “ada, for a day”, for 8 hours$/,
      ),
      expect.stringMatching(/^Allow \w+ with “id for everyone in the team” up to 7 and the same amount 5 /),
    ]);
    await harness.decide({ id: call?.id ?? "", digest: call?.digest ?? "" }, "deny");
  });

  it("comes without suggested conditions if the rule redacts a field", async () => {
    rule = hiding;
    const { harness } = desk;
    const { runId } = await harness.say(refundCall(80, "A-SECRET"));
    const approval = await harness.onlyPending();
    expect(approval.grantSuggestions).toHaveLength(3);
    expect(JSON.stringify(approval)).not.toContain("A-SECRET");
    await approveWithGrant(harness, approval, exactGrant);
    await harness.ended(runId);
    expect(JSON.stringify(await liveGrants(harness))).not.toContain("A-SECRET");
  });
});

describe("a grant's condition on a redacted field", () => {
  const onId: GrantRequest = { scope: "thread", arguments: { when: 'input.id == "A-1"' } };

  it("is refused if its author does not see the field, without revealing the value", async () => {
    rule = hiding;
    const { harness } = desk;
    const { runId } = await harness.say(refundCall(80));
    const approval = await harness.onlyPending();
    const conditions = [
      'input.id == "A-1"',
      'input.id == "A-2"',
      'input.id != "A-2"',
      '{"a": 1}[input.id] == 1',
    ];
    for (const when of conditions) {
      const { status, body } = await approveWithGrant(harness, approval, {
        scope: "thread",
        arguments: { when },
      });
      expect([status, body.code]).toEqual([400, "invalid_grant"]);
      expect(body.detail).toMatch(
        /at character \d+, this reads a value that is hidden from the condition's author$/,
      );
    }
    await harness.decide(approval, "deny");
    await harness.ended(runId);
  });

  it("applies if its author has the full view", async () => {
    rule = hiding;
    const { harness } = desk;
    const everything = approvalsApi(harness.countersign, {
      authenticate: () => principals.finance ?? null,
      fullViewRoles: ["finance"],
    });
    const { runId, threadId } = await harness.say(refundCall(80));
    const { id, digest } = await harness.onlyPending();
    const response = await everything.request(`/approvals/${id}/decision`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ type: "approve", digest, grant: onId }),
    });
    expect(response.status).toBe(200);
    await harness.ended(runId);
    await harness.ended((await harness.say(refundCall(30), threadId)).runId);
    expect(desk.effects).toHaveLength(2);
    const other = await harness.say(refundCall(30, "A-2"), threadId);
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(other.runId);
    expect(desk.effects).toHaveLength(2);
  });

  it("stops applying once the rule redacts a field that its author could see", async () => {
    const { harness } = desk;
    const { threadId } = await desk.grant(refundCall(80), onId);
    await harness.ended((await harness.say(refundCall(30), threadId)).runId);
    expect(desk.effects).toHaveLength(2);
    rule = hiding;
    const { runId } = await harness.say(refundCall(20), threadId);
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(runId);
    expect(desk.effects).toHaveLength(2);
  });
});

describe("the list of grants", () => {
  it("shows a grant to its grantor, its user and the approvers; only the user may not revoke it", async () => {
    const { harness } = desk;
    await desk.grant(refundCall(80), { scope: "user", arguments: "exact", uses: 2 });
    const [grant] = await liveGrants(harness);
    for (const token of ["finance", "lead", "requester"]) {
      const { body } = await harness.call(token, `/grants/${grant.id}`);
      expect(body).toMatchObject({ id: grant.id, usesLeft: 2, mayRevoke: token !== "requester" });
    }
    const revoke = (token: string) => harness.call(token, `/grants/${grant.id}/revoke`, { method: "POST" });
    expect((await harness.call("stranger", `/grants/${grant.id}`)).status).toBe(404);
    expect((await harness.call("stranger", "/grants")).body.items).toEqual([]);
    expect((await revoke("stranger")).status).toBe(404);
    expect((await revoke("requester")).status).toBe(403);
    expect((await harness.call("nobody", "/grants")).status).toBe(401);
    expect((await revoke("finance")).status).toBe(200);
    expect(await liveGrants(harness)).toEqual([]);
  });

  it("is paginated, newest first", async () => {
    const { harness } = desk;
    for (const amount of [1, 2, 3])
      await desk.grant(refundCall(amount), { scope: "team", arguments: "exact" });
    const first = (await harness.call("finance", "/grants?live=true&limit=2")).body;
    const second = (await harness.call("finance", `/grants?live=true&limit=2&cursor=${first.nextCursor}`))
      .body;
    expect(second.nextCursor).toBeNull();
    const summaries = [...first.items, ...second.items].map(({ summary }: { summary: string }) => summary);
    expect(summaries.map((text) => text.at(-1))).toEqual(["3", "2", "1"]);
  });
});
