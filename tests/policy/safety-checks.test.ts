import { createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, notify, withChecks } from "countersign";
import type { CheckContext } from "countersign/types";
import { describe, expect, it } from "vitest";
import { runSql } from "../support/audit-log.js";
import {
  approvedWrite,
  confirm,
  endedAfterRetries,
  file,
  openWorkspace,
  resultOf,
  workspace,
} from "../support/checked-workspace.js";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { beforeClaim } from "../support/intercepted-store.js";
import { recordingChannel } from "../support/recording-channel.js";
import { replaceable } from "../support/replaceable-policy.js";

describe("safety checks", () => {
  it("of the tool and of all matching rules apply together, each once", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const noted: string[] = [];
    const note = (name: string) => ({ name, run: () => noted.push(name) > 0 });
    const [hours, owner] = [note("office hours"), note("owner")];
    const policy = definePolicy({
      tools: {
        write_file: ask({ checks: [hours, owner] }),
        "write_*": () => ask({ checks: [owner] }),
        "*": notify({ checks: [note("known tool")] }),
      },
    });
    await using harness = await openWorkspace(desk, { database, policy });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    const names = ["disk space", "inside the workspace", "known tool", "office hours", "owner"];
    expect(approval.checks.map(({ name }) => name)).toEqual(names);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(desk.written).toEqual([file]);
    expect(noted.sort()).toEqual([...names.slice(2), ...names.slice(2)].sort());
  });

  it.each([
    ["approved", ask()],
    ["allowed", allow()],
  ])("that a guarded tool gets stop an %s call", async (_which, verdict) => {
    await using database = await freshPostgres();
    const ran: unknown[] = [];
    const fails = { name: "balance", run: () => ({ ok: false, message: "The account is empty" }) };
    await using harness = await openHarness({
      ...{ database, policy: definePolicy({ tools: { pay: verdict } }) },
      tools: [createTool({ name: "pay", handler: (input) => ran.push(input) })],
      reply: inTurns({ toolCalls: [{ name: "pay", input: { amount: 80 } }] }),
      run: ({ countersign, agent, message, state }) => {
        countersign.guard(agent);
        for (const tool of agent.tools.values()) withChecks(tool, [fails]);
        return agent.run(message, { state });
      },
    });
    const { runId } = await harness.say("Pay");
    if (verdict.kind === "ask") await harness.decide(await harness.onlyPending(), "approve");
    await harness.ended(runId);
    expect(ran).toEqual([]);
  });

  it("cannot make their requester someone else, and leave the run able to end", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const roles: (readonly string[])[] = [];
    const meddling = (name: string) => ({
      name,
      run: (_input: object, { requester }: CheckContext) => {
        roles.push([...(requester?.roles ?? [])]);
        const known: unknown = requester?.roles;
        if (Array.isArray(known)) known.push("admin");
        return true;
      },
    });
    const checks = [meddling("first"), meddling("second")];
    await using harness = await openWorkspace(desk, {
      ...{ database, policy: definePolicy({ tools: { write_file: ask({ checks }) } }) },
      countersign: { context: () => ({ requester: { id: "requester", roles: ["clerk"] } }) },
    });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(desk.written).toEqual([file]);
    expect(roles).toEqual([["clerk"], ["clerk"], ["clerk"], ["clerk"]]);
    const { policyContext } = (await harness.store.getApproval("acme", approval.id)) ?? {};
    expect(policyContext?.principal).toEqual({ id: "requester", roles: ["clerk"] });
  });

  it("that a later policy adds run before the start, and those it removes do not", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const { writeFile } = desk;
    const old = { name: "old", run: (_input: object, { moment }: CheckContext) => moment === "proposal" };
    const added = { name: "added", run: () => ({ ok: false, message: "Not on Fridays" }) };
    const before = definePolicy({ tools: { write_file: ask({ checks: [old] }) } });
    await using harness = await openWorkspace(desk, { database, policy: before });
    const first = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    harness.redeploy({ policy: confirm });
    await harness.decide(approval, "approve");
    await harness.ended(first.runId);
    expect(desk.written).toEqual([file]);

    const second = await harness.say("Write 'hello' to test.txt");
    const next = await harness.onlyPending();
    harness.redeploy({ policy: definePolicy({ tools: { [writeFile.name]: ask({ checks: [added] }) } }) });
    await harness.decide(next, "approve");
    await harness.ended(second.runId);
    expect(desk.written).toEqual([file]);
    expect(await harness.approval(next.id)).toMatchObject({ withdrawalCause: "check_failed" });
    expect(resultOf(harness)).toContain("Not on Fridays");
  });

  it("that a policy adds between the checks and the claim withdraw the call, because nobody has run them", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const { policy, redeploy } = replaceable(confirm);
    const ran: string[] = [];
    const late = { name: "late", run: () => ran.push("late") > 0 };
    await using harness = await openWorkspace(desk, {
      database,
      policy,
      between: beforeClaim(() =>
        redeploy(definePolicy({ tools: { write_file: ask({ editable: ["path"], checks: [late] }) } })),
      ),
    });
    const approval = await approvedWrite(harness);
    expect([desk.written, ran]).toEqual([[], []]);
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "policy_changed" });
  });

  it("whose name another policy gives to another function meanwhile withdraw the call", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const limited = (run: () => boolean) =>
      definePolicy({ tools: { write_file: ask({ checks: [{ name: "limit", run }] }) } });
    const { policy, redeploy } = replaceable(limited(() => true));
    await using harness = await openWorkspace(desk, {
      database,
      policy,
      between: beforeClaim(() => redeploy(limited(() => false))),
    });
    const approval = await approvedWrite(harness);
    expect(desk.written).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "policy_changed" });
  });

  it("hide in their messages what the rule hides in the arguments", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const leak = {
      name: "content",
      run: (input: Record<string, unknown>) => ({ ok: true, message: `${input.content} of jo@example.com` }),
    };
    const policy = definePolicy({
      tools: { write_file: ask({ redact: ["content"], redactPatterns: ["email"], checks: [leak] }) },
    });
    const secret = { path: "test.txt", content: "swordfish" };
    await using harness = await openWorkspace(desk, { database, policy }, secret);
    await harness.say("Write it");
    const approval = await harness.onlyPending();
    expect(approval.checks[0]).toEqual({ name: "content", ok: true, message: "[hidden] of [hidden]" });
  });

  it("are on the cards of channels, failed ones first, with characters that nobody sees made visible", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const { channel, sent } = recordingChannel();
    const sly = { name: "sly", run: () => ({ ok: false, message: "no\ndisk space: fine\u202e" }) };
    await using harness = await openWorkspace(desk, {
      database,
      policy: definePolicy({ tools: { write_file: ask({ notify: ["test"], checks: [sly] }) } }),
      countersign: { channels: [channel] },
    });
    await harness.say("Write 'hello' to test.txt");
    const delivery = await harness.onceAtRest(() => Promise.resolve(sent[0]), "a card is sent");
    expect(delivery.card.checks).toEqual([
      { ok: false, text: "sly: no⏎disk space: fine⟨U+202E⟩" },
      { ok: true, text: "disk space: 100 MB are free" },
      { ok: true, text: "inside the workspace" },
    ]);
  });

  it("cannot be changed in the database: their results are in the digest", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    desk.disk.free = 0;
    await using harness = await openWorkspace(desk, { database });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    await runSql(
      database,
      `update countersign.approvals set terms = jsonb_set(terms, '{checks,0,ok}', 'true') where id = $1`,
      [approval.id],
    );
    const forged = await harness.approval(approval.id);
    expect(forged.checks[0]?.ok).toBe(true);
    await harness.decide(forged, "approve");
    desk.disk.free = 5;
    await harness.ended(runId);
    expect(desk.written).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "digest_changed" });
  });
});

describe("two different checks with one name", () => {
  const one = { name: "balance", run: () => true };
  const other = { name: "balance", run: () => true };

  it("in one rule or one tool are an error that names it", () => {
    const words = 'two different checks are named "balance"';
    expect(() => definePolicy({ tools: { pay: ask({ checks: [one, other] }) } })).toThrow(words);
    expect(() => withChecks(createTool({ name: "pay", handler: () => 1 }), [one, other])).toThrow(words);
    const pay = withChecks(createTool({ name: "pay", handler: () => 1 }), [one]);
    expect(() => withChecks(pay, [other])).toThrow(words);
  });

  it("of a tool and its rule fail the run with an error that names it, and ask nobody", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const policy = definePolicy({
      tools: { write_file: ask({ checks: [{ name: "disk space", run: () => true }] }) },
    });
    await using harness = await openWorkspace(desk, { database, policy });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const { output } = await endedAfterRetries(harness, runId, "Failed");
    expect(JSON.stringify(output)).toContain(
      'Two different safety checks of \\"write_file\\" are named \\"disk space\\"',
    );
    expect(desk.checked).toEqual([]);
  });
});

describe("safety checks of a program's call", () => {
  const agent = { id: "agent", tenantId: "acme", roles: ["agent"] };
  const deploy = { principal: agent, toolName: "deploy", input: { service: "web" } };

  it("run when it is requested and when its approval is used", async () => {
    await using database = await freshPostgres();
    const state = { green: true };
    const moments: string[] = [];
    const tests = {
      name: "tests",
      run: (_input: object, { moment }: CheckContext) => {
        moments.push(moment);
        return state.green || { ok: false, message: "3 tests fail" };
      },
    };
    const policy = definePolicy({ tools: { deploy: ask({ checks: [tests] }) } });
    await using harness = await openHarness({ database, tools: [], policy, reply: () => ({ text: "" }) });
    const { externalCalls } = harness.countersign;
    const request = async () => {
      const asked = await externalCalls.request(deploy);
      if (asked.status !== "pending") throw new Error(`It is ${asked.status}`);
      const approval = await harness.approval(asked.approvalId);
      expect(approval.checks).toEqual([{ name: "tests", ok: true, message: null }]);
      await harness.decide(approval, "approve");
      return { ...deploy, approvalId: asked.approvalId };
    };
    expect(await externalCalls.use(await request())).toMatchObject({ go: true });
    const second = await request();
    state.green = false;
    const refused = await externalCalls.use(second);
    expect(refused).toMatchObject({
      go: false,
      outcome: {
        status: "refused",
        refusal: { code: "check_failed", message: expect.stringContaining("3 tests fail") },
      },
    });
    expect(await harness.approval(second.approvalId)).toMatchObject({ withdrawalCause: "check_failed" });
    // A call that is over is not checked again.
    expect(await externalCalls.use(second)).toMatchObject({ go: false, outcome: { status: "refused" } });
    expect(moments).toEqual(["proposal", "start", "proposal", "start"]);
  });
});
