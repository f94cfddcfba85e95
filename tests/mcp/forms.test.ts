import { ask, definePolicy, deny, manual } from "countersign";
import { describe, expect, it } from "vitest";
import { tripDesk } from "../support/mcp/trip-desk.js";
import { tripSite } from "../support/mcp/trip-site.js";

const aisle = { action: "accept", content: { seat: "aisle" } };

describe("a form from a server of 2026-07-28", () => {
  it("waits in the inbox, and its server gets the same request with the answer and its own state", async () => {
    await using site = await tripSite();
    await using desk = await tripDesk({ server: site });
    const question = await desk.harness.onlyPending();
    expect(question).toMatchObject({
      toolName: "request_human_input",
      verdict: "manual",
      agentName: "support",
      mcpServer: "trips",
      summary: "“Which seat for Oslo?”",
      input: {
        message: "Which seat for Oslo?",
        server: "trips",
        tool: "book",
        form: { properties: { seat: { enum: ["aisle", "window"], enumNames: ["On the aisle", "window"] } } },
      },
    });
    expect(site.deeds).toEqual([]);
    expect((await desk.respond({ action: "accept", content: { seat: "roof" } })).status).toBe(400);
    expect((await desk.respond(aisle)).status).toBe(200);
    expect(await desk.modelInput()).toContain("booked Oslo, aisle");
    expect(site.deeds).toMatchObject([{ tool: "book", trip: "Oslo", answer: "accept", seat: "aisle" }]);
    const [first, again] = site.calls();
    expect(again?.requestState).toBe(site.states()[0]);
    expect({ ...again, requestState: undefined, inputResponses: undefined }).toEqual(first);
  });

  it("is answered decline after a decline or denial, and cancel after a cancel or expiry", async () => {
    await using site = await tripSite();
    const answers = [];
    for (const end of ["decline", "deny", "cancel", "expire"]) {
      await using desk = await tripDesk({ server: site, call: { name: "trips-book", input: { trip: end } } });
      const question = await desk.harness.onlyPending();
      if (end === "deny") await desk.harness.decide(question, "deny");
      else if (end === "expire") await desk.harness.clock.advance("31m");
      else await desk.respond({ action: end });
      await desk.modelInput();
      answers.push(`${end}: ${site.deeds.at(-1)?.answer}`);
    }
    expect(answers).toEqual(["decline: decline", "deny: decline", "cancel: cancel", "expire: cancel"]);
  });

  it("can be followed by a second form, and each answer goes back with its own form's state", async () => {
    await using site = await tripSite();
    await using desk = await tripDesk({
      server: site,
      call: { name: "trips-book_return", input: { trip: "Rome" } },
    });
    const there = await desk.harness.onlyPending();
    expect(there.input).toMatchObject({ message: "Which day there?" });
    await desk.respond({ action: "accept", content: { day: "2027-01-02" } });
    const back = await desk.harness.nextPending(there);
    expect(back.input).toMatchObject({ message: "Which day back?" });
    await desk.respond({ action: "accept", content: { day: "2027-01-09" } });
    expect(await desk.modelInput()).toContain("booked Rome: 2027-01-02 to 2027-01-09");
    const states = site.states();
    expect(new Set(states).size).toBe(2);
    expect(site.calls().map(({ requestState }) => requestState)).toEqual([undefined, ...states]);
  });

  it("that asks for a secret is not shown to anybody, and the model reads why", async () => {
    await using site = await tripSite();
    await using desk = await tripDesk({
      server: site,
      call: { name: "trips-sign_in", input: { trip: "Oslo" } },
    });
    const modelInput = await desk.modelInput();
    expect(modelInput).toContain("asked for a secret by form");
    expect(modelInput).toContain("loginPassword");
    expect(site.deeds).toEqual([]);
    const { body } = await desk.harness.call("finance", "/approvals");
    expect(body.items).toEqual([]);
  });
});

/** The types of the entries about questions and refused calls in the audit log. */
async function typesOf({ harness }: Awaited<ReturnType<typeof tripDesk>>): Promise<string[]> {
  const entries = await harness.store.listAudit({ tenantId: "acme", limit: 50 });
  return entries.map(({ type }) => type).filter((type) => /^(approval|call)\./.test(type));
}

describe("a question that is refused before anyone is asked", () => {
  it.each([
    ["larger than arguments may be", { argumentBytes: 60 }, "invalid_input"],
    ["in a run that is nearly full", { stepsPerRun: 1 }, "run_nearly_full"],
  ] as const)("%s is in the audit log, and names no approval", async (_, limits, code) => {
    await using site = await tripSite();
    await using desk = await tripDesk({ server: site, countersign: { limits } });
    expect(await desk.modelInput()).toContain("not booked: cancel");
    const refusals = await desk.harness.store.listAudit({ tenantId: "acme", limit: 50 });
    expect(refusals.filter(({ type }) => type === "call.refused")).toMatchObject([
      { data: { toolName: "request_human_input", code, runId: desk.runId } },
    ]);
    expect(await desk.database.admin`select from countersign.approvals`).toHaveLength(0);
  });
});

describe("the policy", () => {
  it("decides who may answer a server's question, and the requester may not", async () => {
    await using site = await tripSite();
    await using desk = await tripDesk({
      server: { url: site.url, questions: { approvers: { roles: ["lead", "finance"] }, timeout: "3 days" } },
      policy: definePolicy({
        tools: {
          "trips-*": ask({ approvers: { roles: ["finance"] } }),
          request_human_input: ({ input }) =>
            Object(input).server === "trips"
              ? manual({ approvers: { roles: ["lead"] } })
              : deny("Nobody is asked"),
        },
      }),
    });
    const call = await desk.harness.onlyPending();
    expect(call.toolName).toBe("trips-book");
    await desk.harness.decide(call, "approve");
    const question = await desk.question("lead");
    expect(question.approvers.roles).toEqual(["lead"]);
    const lasts = Date.parse(question.expiresAt ?? "") - Date.parse(question.announcedAt ?? "");
    expect(lasts).toBe(3 * 86_400_000);
    for (const token of ["requester", "finance", "stranger"]) {
      const refused = await desk.respond(aisle, { token, question });
      expect(refused.status).toBeGreaterThanOrEqual(403);
    }
    expect((await desk.respond(aisle, { token: "lead", question })).status).toBe(200);
    expect(await desk.modelInput()).toContain("booked Oslo, aisle");
    expect(await desk.harness.approval(call.id)).toMatchObject({ status: "executed" });
  });

  it("that denies questions answers the server with decline, and nobody is asked", async () => {
    await using site = await tripSite();
    await using desk = await tripDesk({
      server: site,
      policy: definePolicy({
        tools: { "trips-*": { kind: "allow" }, request_human_input: deny("Not from servers") },
      }),
    });
    expect(await desk.modelInput()).toContain("not booked: decline");
    expect(await desk.database.admin`select status, verdict, tool_name from countersign.approvals`).toEqual([
      { status: "denied", verdict: "deny", tool_name: "request_human_input" },
    ]);
    expect(await typesOf(desk)).toEqual(["approval.denied_by_policy"]);
  });

  it("asks before a tool that its server does not mark as harmless, even if its rule allows it", async () => {
    await using site = await tripSite();
    await using desk = await tripDesk({
      server: site,
      call: { name: "trips-cancel_trip", input: { trip: "Oslo" } },
    });
    const call = await desk.harness.onlyPending();
    expect(call).toMatchObject({ toolName: "trips-cancel_trip", verdict: "ask" });
    expect(site.deeds).toEqual([]);
    await desk.harness.decide(call, "approve");
    expect(await desk.modelInput()).toContain("cancelled Oslo");
  });
});
