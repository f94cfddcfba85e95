import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, type Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { apiFor } from "../support/attack.js";
import { inTurns } from "../support/desk-tools.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const formula = '=HYPERLINK("https://evil.example","pay")';
const script = "<script>alert(1)</script><img src=x onerror=alert(2)>";
/** A list in a list in a list …, so many levels deep. */
const nested = (levels: number): unknown => (levels === 0 ? "deep" : [nested(levels - 1)]);
const input = {
  reversed: "pay \u202e04.1\u202c",
  hidden: "pay\u200badmin",
  terminal: "\u001b[2K\u001b[1Apay 1.00",
  alike: "p\u0430ypal",
  script,
  formula,
  large: "x".repeat(1_000_000),
  deep: nested(500),
};
/** A person whose id and roles attack readers of the log. */
const hostile: Principal = { id: formula, tenantId: "acme", roles: ["finance", script] };
const auditor: Principal = { id: "olga", tenantId: "acme", roles: ["auditor"] };

describe("hostile text", () => {
  const effects: unknown[] = [];
  let world: Awaited<ReturnType<typeof openWaitingRefund>>;
  let attack: ReturnType<typeof apiFor>["attack"];
  beforeAll(async () => {
    const store = createTool({
      name: "store",
      parameters: z.looseObject({}),
      handler: (given) => {
        effects.push(given);
        return "stored";
      },
    });
    world = await openWaitingRefund({
      policy: definePolicy({ tools: { store: ask({ summary: `Store ${script}\u202e` }) } }),
      tools: [{ ...store, strict: false }],
      reply: inTurns({ toolCalls: [{ name: "store", input }] }),
    });
    attack = apiFor(world.harness.countersign).attack;
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it("in arguments is served complete and flagged, as JSON that no browser renders as a page", async () => {
    for (const path of [
      `/approvals/${world.approval.id}`,
      "/approvals",
      `/requests/${world.approval.requestId}`,
    ]) {
      const answer = await attack(hostile, { path });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const view = answer.body.items?.[0] ?? answer.body;
      expect(view.input).toEqual(input);
      const flagged = view.flags.map(({ path, kind }: { path: string; kind: string }) => `${path} ${kind}`);
      expect(flagged).toEqual(
        expect.arrayContaining([
          "input.reversed direction",
          "input.hidden invisible",
          "input.terminal control",
          "input.alike mixed_script",
        ]),
      );
    }
  });

  it("in paths, queries, bodies and headers gets only JSON answers, and decides nothing", async () => {
    const { id, digest } = world.approval;
    for (const sent of [
      { path: `/approvals/${encodeURIComponent(script)}` },
      { path: `/nothing/${encodeURIComponent(script)}` },
      { path: `/approvals?status=${encodeURIComponent(script)}` },
      { path: `/approvals/${id}/decision`, body: { type: script, digest } },
      { path: `/approvals/${id}/decision`, body: { type: "deny", digest, [script]: 1 } },
      { path: `/approvals/${id}/decision`, body: { type: "deny", digest, reason: "r".repeat(1_000_000) } },
      { path: `/approvals/${id}/decision`, body: { type: "deny", digest: "d".repeat(1_000_000) } },
      { path: "/me", headers: { "last-event-id": script } },
    ]) {
      const answer = await attack(hostile, sent);
      expect(answer.status).toBeLessThan(500);
      expect(answer.headers.get("content-type")).toMatch(/^application\/(problem\+)?json/);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect((await world.harness.approval(id)).status).toBe("pending");
  });

  it("in a reason reaches the model, and exports of the log hold no formula and no reason", async () => {
    const { id, digest } = world.approval;
    const reason = `${formula}\n\u001b[31m${script}\u202e`;
    const path = `/approvals/${id}/decision`;
    const answer = await attack(hostile, { path, body: { type: "deny", digest, reason } });
    expect(answer).toMatchObject({ status: 200, body: { decision: { reason, decidedBy: formula } } });
    await world.harness.ended(world.runId);
    expect(effects).toEqual([]);
    expect(world.harness.model.requests.map(({ error, status }) => error ?? status)).toEqual([200, 200]);
    const [, asked] = world.harness.model.requests;
    const { messages } = (asked?.body ?? { messages: [] }) as { messages: { content: string }[] };
    const result = JSON.parse(messages.at(-1)?.content ?? "{}");
    expect(result.error).toMatchObject({
      code: "denied_by_person",
      message: expect.stringContaining(`Their reason: ${reason}`),
    });

    const csv = await attack(auditor, { path: "/audit/export?format=csv" });
    expect(csv.headers.get("content-type")).toMatch(/^text\/csv/);
    expect(csv.headers.get("content-disposition")).toMatch(/^attachment/);
    expect(csv.headers.get("x-content-type-options")).toBe("nosniff");
    expect(csv.text).toContain("HYPERLINK");
    // No cell begins with what a spreadsheet would calculate.
    expect(csv.text).not.toMatch(/(^|,|\r\n)"?[=+@-]/);
    const jsonl = await attack(auditor, { path: "/audit/export?format=jsonl" });
    expect(jsonl.headers.get("content-type")).toMatch(/^application\/x-ndjson/);
    expect(jsonl.headers.get("content-disposition")).toMatch(/^attachment/);
    for (const text of [csv.text, jsonl.text]) {
      expect(text).not.toContain("xxxxxxxxxx");
      expect(text).not.toContain(reason);
    }
    expect((await attack(auditor, { path: "/audit/verify" })).body).toMatchObject({ ok: true });
  });
});
