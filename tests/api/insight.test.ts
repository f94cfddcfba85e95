import type { Principal } from "countersign";
import type { AnswerOf } from "countersign/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { policyOf } from "../support/policy-of.js";
import { proposeCall } from "../support/proposals.js";

type Insight = AnswerOf<"getInsight">;
type Proposal = Parameters<typeof proposeCall>[1];
type Settled = "approve" | "deny" | "expire" | undefined;

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const lead: Principal = { id: "lead", tenantId: "acme", roles: ["lead"] };
const byRole = (...roles: string[]) => ({ approvers: { roles, ids: [] } });
const reason = (rule: string) => ({ rule, reason: "Money leaves the shop", adds: {} });
const second = 1000;
const minute = 60 * second;

const rules = [
  { id: "refunds", tools: "refund", verdict: "ask", reason: "Money leaves the shop" },
  { id: "mails", tools: "mail", verdict: "ask", redact: ["note"] },
];

describe("GET /insight", () => {
  let world: Awaited<ReturnType<typeof openApiWorld>>;
  beforeAll(async () => {
    world = await openApiWorld({ policy: policyOf(rules) });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  async function insight(reader: string, query = ""): Promise<Insight> {
    const response = await world.request(reader, `/insight${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as Insight;
  }

  /** Proposes calls that were asked about some days ago and settled after a wait. Returns their ids. */
  async function settle(
    how: Settled,
    { daysAgo = 1, waitMs = second, by = finance, ...options }: Proposal & SettleOptions = {},
  ): Promise<string[]> {
    const calls = await proposeCall(world.store, {
      ...byRole("finance"),
      requesterId: "requester",
      ...options,
    });
    for (const { id, digest } of calls) {
      if (how === "approve" || how === "deny") {
        await world.store.decide({ approvalId: id, digest, type: how, reason: null, principal: by });
      }
      await world.database.admin`
        update countersign.approvals set created_at = now() - ${daysAgo} * interval '1 day',
          announced_at = now() - ${daysAgo} * interval '1 day',
          status = case when ${how === "expire"} then 'expired' when status = 'approved' then 'executed' else status end,
          finished_at = case when ${how === "expire"}
            then now() - ${daysAgo} * interval '1 day' + ${waitMs} * interval '1 millisecond' end,
          decided_at = case when decided_at is not null
            then now() - ${daysAgo} * interval '1 day' + ${waitMs} * interval '1 millisecond' end
        where id = ${id}`;
    }
    return calls.map(({ id }) => id);
  }

  describe("after calls of two rules and a tool of the lead", () => {
    beforeAll(async () => {
      const refunds = { terms: { reasons: [reason("refunds")] } };
      for (const waitMs of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        await settle("approve", { ...refunds, waitMs: waitMs * second });
      }
      await settle("expire", { ...refunds, waitMs: 100 * second });
      await settle("approve", { ...refunds, daysAgo: 20, waitMs: 1000 * second });
      await settle("approve", { ...refunds, daysAgo: 40 });
      await settle("deny", { ...refunds, terms: { reasons: [reason("large"), reason("refunds")] } });
      await settle("deny", {
        toolName: "wire",
        ...byRole("lead"),
        by: lead,
        requesterId: "finance",
        calls: 5,
      });
      await settle("approve", { toolName: "wire", ...byRole("lead"), by: lead, tenantId: "acme", calls: 5 });
      await settle(undefined, { ...refunds, verdict: "ask" });
    });

    it("counts what people decided by tool and rules, with the waits", async () => {
      const { asked, more, rules: found } = await insight("finance", "?days=7");
      expect([asked, more]).toEqual([17, false]);
      expect(found).toEqual([
        {
          ...{
            tool: "refund",
            rules: ["refunds"],
            asked: 11,
            approved: 9,
            denied: 0,
            answered: 0,
            expired: 1,
          },
          ...{ medianWaitMs: 5500, p90WaitMs: 18_100, habit: null },
        },
        expect.objectContaining({ tool: "wire", rules: [], asked: 5, denied: 5, habit: "often_denied" }),
        expect.objectContaining({ tool: "refund", rules: ["large", "refunds"], asked: 1, denied: 1 }),
      ]);
    });

    it("looks back 30 days by default, and says what people approve every time", async () => {
      const { days, rules: found } = await insight("finance");
      expect(days).toBe(30);
      expect(found[0]).toMatchObject({ asked: 12, approved: 10, habit: "always_approved" });
      expect((await insight("finance", "?days=90")).rules[0]).toMatchObject({ asked: 13, approved: 11 });
    });

    it("counts only calls that the reader may see, and all of the tenant for auditors", async () => {
      const seen = async (reader: string) => {
        const found = await insight(reader, "?days=7");
        return [found.asked, found.approvers.map(({ id, decisions }) => `${id} ${decisions}`)];
      };
      expect(await seen("finance")).toEqual([17, ["finance 10", "lead 5"]]);
      expect(await seen("lead")).toEqual([10, ["lead 10"]]);
      expect(await seen("requester")).toEqual([17, ["finance 10", "lead 5"]]);
      expect(await seen("auditor")).toEqual([22, ["finance 10", "lead 10"]]);
      expect(await seen("stranger")).toEqual([0, []]);
    });

    it("refuses other periods and readers who are not signed in", async () => {
      for (const query of ["?days=8", "?days=", "?days=3650", "?days=7;"]) {
        expect((await world.request("finance", `/insight${query}`)).status).toBe(400);
      }
      expect((await world.request("nobody", "/insight")).status).toBe(401);
    });
  });

  describe("of what nobody decided", () => {
    const toolOf = async (tool: string) =>
      (await insight("auditor")).rules.filter((row) => row.tool === tool);

    it("does not count a decision that was taken back, until the next one", async () => {
      const [call] = await proposeCall(world.store, { ...byRole("finance"), toolName: "held" });
      if (!call) throw new Error("unreachable");
      const decision = { approvalId: call.id, digest: call.digest, reason: null, principal: finance };
      await world.store.decide({ ...decision, type: "approve", holdMs: 10_000 });
      const open = { asked: 1, approved: 0, denied: 0, medianWaitMs: null };
      expect(await toolOf("held")).toMatchObject([open]);
      await world.store.takeBack({ approvalId: call.id, principal: finance });
      expect(await toolOf("held")).toMatchObject([open]);
      await world.store.decide({ ...decision, type: "deny" });
      expect(await toolOf("held")).toMatchObject([{ asked: 1, approved: 0, denied: 1 }]);
    });

    it("does not count calls that ran by a grant, of which people were only notified, or that were not announced", async () => {
      const given = { ...byRole("finance"), toolName: "granted", terms: { grantable: ["team" as const] } };
      const [call] = await proposeCall(world.store, given);
      await world.countersign.decide({
        ...{ approvalId: call?.id ?? "", digest: call?.digest ?? "", principal: finance, reason: null },
        ...{ type: "approve", grant: { scope: "team", arguments: "any" } },
      });
      const [byGrant] = await proposeCall(world.store, given);
      expect(byGrant).toMatchObject({ status: "approved", grantId: expect.any(String) });
      await proposeCall(world.store, { ...given, toolName: "notified", verdict: "notify" });
      await proposeCall(world.store, { ...given, toolName: "unannounced", announce: false });
      expect(await toolOf("granted")).toMatchObject([{ asked: 1, approved: 1 }]);
      expect(await toolOf("notified")).toEqual([]);
      expect(await toolOf("unannounced")).toEqual([]);
    });

    it("counts each vote of several people as a decision of its own", async () => {
      const decisionsOf = async (id: string) =>
        (await insight("auditor")).approvers.find((approver) => approver.id === id)?.decisions ?? 0;
      const before = [await decisionsOf("finance"), await decisionsOf("lead")];
      const [call] = await proposeCall(world.store, { ...byRole("finance", "lead"), terms: { quorum: 2 } });
      for (const principal of [finance, lead]) {
        await world.store.decide({
          ...{
            approvalId: call?.id ?? "",
            digest: call?.digest ?? "",
            type: "approve",
            reason: null,
            principal,
          },
        });
      }
      expect([await decisionsOf("finance"), await decisionsOf("lead")]).toEqual(
        before.map((count) => count + 1),
      );
    });
  });

  describe("suggestions", () => {
    const mail = (note: string, to = "ops") => ({ toolName: "mail", inputOf: () => ({ to, note }) });
    const pay = { toolName: "pay", inputOf: (at: number) => ({ amount: 10 + at }) };
    let calls: string[] = [];
    let clockOffset = 0;
    beforeAll(async () => {
      await world[Symbol.asyncDispose]();
      world = await openApiWorld({
        clockOffset: () => clockOffset,
        policy: policyOf([...rules, { id: "pays", tools: "pay", verdict: "ask" }]),
      });
      calls = await settle("approve", { ...pay, calls: 24, daysAgo: 15 });
      await settle("approve", { ...pay, calls: 3, daysAgo: 2 });
      // The rule hides the note. It is the recipient of other calls, which all may read.
      for (const to of ["root@shop", "root@shop", "root@shop", "root@shop", "root@shop"]) {
        await settle("deny", { ...mail("hello", to), daysAgo: 12 });
      }
    });
    const suggestionsFor = async (reader: string) => (await insight(reader)).suggestions;

    it("are those of policy suggest, with the calls and what would be written, for auditors alone", async () => {
      expect(await suggestionsFor("finance")).toEqual({ state: "auditors_only" });
      const found = await suggestionsFor("auditor");
      if (found.state !== "found") throw new Error(found.state);
      expect(found).toMatchObject({ learned: 29, tested: 3 });
      const [denied, approved] = found.items;
      expect(denied).toMatchObject({ tool: "mail", verdict: "deny", calls: 5, tested: 0 });
      expect(denied?.when).toContain('input.to == "root@shop"');
      const when = "input.amount >= 12 && input.amount <= 31 && size(input) == 1";
      expect(approved).toEqual({
        ...{ tool: "pay", verdict: "notify", when, calls: 20, tested: 1 },
        examples: expect.any(Array),
        changes: [
          {
            ...{ file: "policy.json", rule: null },
            text: JSON.stringify({ id: "approved-pay", tools: "pay", verdict: "notify", when }),
          },
          { file: "policy.json", rule: "pays", text: `"when": "!(${when})"` },
        ],
      });
      expect(approved?.examples).toHaveLength(5);
      expect(calls).toEqual(expect.arrayContaining(approved?.examples.map(({ id }) => id) ?? []));
    });

    it("leave out one that would show what a rule hides in another call", async () => {
      await settle("approve", { ...mail("root@shop"), daysAgo: 12, terms: { redact: ["note"] } });
      clockOffset += minute;
      const found = await suggestionsFor("auditor");
      expect(found).toMatchObject({ items: [{ tool: "pay" }] });
      expect(JSON.stringify(found)).not.toContain("root@shop");
    });

    it("are computed once a minute for all auditors of the tenant, and stay hidden from others", async () => {
      const listDecided = vi.spyOn(world.store, "listDecided");
      clockOffset += minute;
      const [one, other] = await Promise.all([suggestionsFor("auditor"), suggestionsFor("auditor")]);
      expect(one).toMatchObject({ state: "found", items: [{ tool: "pay" }] });
      expect(other).toEqual(one);
      clockOffset += minute - 10 * second;
      expect(await suggestionsFor("auditor")).toEqual(one);
      expect(listDecided).toHaveBeenCalledTimes(1);
      expect(await suggestionsFor("finance")).toEqual({ state: "auditors_only" });
      clockOffset += 10 * second;
      expect(await suggestionsFor("auditor")).toMatchObject({ state: "found" });
      expect(listDecided).toHaveBeenCalledTimes(2);
      listDecided.mockRestore();
    });

    it("are none if the rules are in code", async () => {
      await using coded = await openApiWorld();
      const response = await coded.request("auditor", "/insight");
      expect(await response.json()).toMatchObject({ suggestions: { state: "no_policy_files" } });
    });
  });
});

interface SettleOptions {
  daysAgo?: number;
  waitMs?: number;
  by?: Principal;
}
