import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPolicy } from "@countersign/policy/files";
import { describe, expect, it } from "vitest";
import type { RunWorld } from "../support/harness-options.js";
import { tripDesk } from "../support/mcp/trip-desk.js";
import { type TripSite, tripSite } from "../support/mcp/trip-site.js";

// The configuration file of an MCP bridge, used unchanged for the tools of an MCP server that asks questions.

const profiles = {
  reader: { allowlist: ["trips__pay"] },
  payer: { allowlist: ["trips__pay", "request_human_*"] },
  supervised: { denylist: ["trips__cancel_*"], asklist: ["trips__*"], elicitationFallback: "deny" },
  lenient: { asklist: ["trips__book"], elicitationFallback: "allow" },
};
const file = join(mkdtempSync(join(tmpdir(), "countersign-profiles-")), "bridge.json");
writeFileSync(file, JSON.stringify({ servers: {}, evaluation: { profiles } }));
const policy = openPolicy({ defaults: file, watch: false });

const bridgeDesk = (site: TripSite, tool: string, more: object) =>
  tripDesk({
    ...{ server: site, policy, mcp: { separator: "__" as const } },
    call: { name: `trips__${tool}`, input: { trip: "Oslo" } },
    ...more,
  });

const aisle = { action: "accept", content: { seat: "aisle" } };

describe("a bridge's profile over tools of MCP servers", () => {
  it("denies a tool by a glob of its denylist, and the server gets no call", async () => {
    await using site = await tripSite();
    await using desk = await bridgeDesk(site, "cancel_trip", { profile: "supervised" });
    expect(await desk.modelInput()).toContain("denied_by_policy");
    expect(site.calls()).toEqual([]);
  });

  it("asks about a tool by a glob of its asklist, before the server asks its own question", async () => {
    await using site = await tripSite();
    await using desk = await bridgeDesk(site, "book", { profile: "supervised" });
    const call = await desk.harness.onlyPending();
    expect(call).toMatchObject({ toolName: "trips__book", verdict: "ask" });
    expect(site.calls()).toEqual([]);
    await desk.harness.decide(call, "approve");
    await desk.respond(aisle, { question: await desk.question() });
    expect(await desk.modelInput()).toContain("booked Oslo, aisle");
  });

  it("denies a tool that its allowlist does not name", async () => {
    await using site = await tripSite();
    await using desk = await bridgeDesk(site, "book", { profile: "payer" });
    expect(await desk.modelInput()).toContain("does not list this tool");
    expect(site.calls()).toEqual([]);
  });

  it("lets servers ask people only if its allowlist names request_human_input", async () => {
    await using site = await tripSite();
    await using silent = await bridgeDesk(site, "pay", { profile: "reader" });
    expect(await silent.modelInput()).toContain("payment: decline");
    await using asking = await bridgeDesk(site, "pay", { profile: "payer" });
    await asking.question();
    await asking.respond({ action: "accept" });
    expect(await asking.modelInput()).toContain("payment: accept");
  });
});

describe("elicitationFallback", () => {
  it("set to allow never runs a tool of the asklist without a decision", async () => {
    await using site = await tripSite();
    await using desk = await bridgeDesk(site, "book", { profile: "lenient" });
    expect(await desk.harness.onlyPending()).toMatchObject({ toolName: "trips__book" });
    await desk.harness.clock.advance("31m");
    expect(await desk.modelInput()).toContain("expired");
    expect(site.calls()).toEqual([]);
  });

  it("follows the profile of each run, even if two runs share their connections", async () => {
    await using site = await tripSite();
    const run = ({ countersign, agent, state, message }: RunWorld) =>
      countersign.guard(agent, { profile: message }).run("Book a trip", { state, maxIter: 2 });
    await using desk = await bridgeDesk(site, "pay", { message: "reader", run });
    expect(await desk.modelInput()).toContain("payment: decline");
    await desk.harness.say("payer");
    const question = await desk.question();
    expect(question.input).toMatchObject({ url: "https://pay.example.com/trips?id=Oslo" });
  });

  it("does not apply to an unguarded agent, whose tools do not run", async () => {
    await using site = await tripSite();
    const run = async ({ agent, state, message }: RunWorld) =>
      (await agent.run(message, { state, maxIter: 1 })).toolCalls;
    await using desk = await bridgeDesk(site, "book", { run });
    const { output } = await desk.harness.ended(desk.runId);
    expect(JSON.stringify(output)).toContain("that Countersign does not guard, so it did not run");
    expect(site.calls()).toEqual([]);
  });
});
