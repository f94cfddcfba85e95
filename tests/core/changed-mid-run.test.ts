import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPolicy } from "@countersign/policy/files";
import { allow, ask, definePolicy, deny, type Policy } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const email = { name: "email", input: { to: "customer", text: "Done" } };

/** A policy whose rules can be replaced at any moment, as after a redeploy. */
function replaceable(first: Policy) {
  const rules = { now: first };
  const policy: Policy = {
    get version() {
      return rules.now.version;
    },
    get profiles() {
      return rules.now.profiles;
    },
    evaluate: (call) => rules.now.evaluate(call),
    explain: (call) => rules.now.explain(call),
  };
  return { policy, rules };
}

describe.each([true, false])("a policy change during a run, checkpointing %s,", (checkpointing) => {
  it("to looser rules leaves a pending call gated, and it starts once", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const { policy, rules } = replaceable(definePolicy({ tools: { refund: ask(), email: ask() } }));
    const reply = inTurns({ toolCalls: [refund] }, { toolCalls: [email] });
    await using harness = await openHarness({ database, tools, policy, reply, checkpointing });
    const { runId } = await harness.say("Refund and tell");
    const approval = await harness.onlyPending();
    rules.now = definePolicy({ tools: { "*": allow() } });
    expect(effects).toEqual([]);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects.filter(({ tool }) => tool === "refund")).toHaveLength(1);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "executed",
      policyVersion: definePolicy({ tools: { refund: ask(), email: ask() } }).version,
    });
    // The new rules apply to the email, since it came after the change.
    expect(effects.some(({ tool }) => tool === "email")).toBe(true);
  });

  it("to looser rules does not run a pending call that is then denied", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const { policy, rules } = replaceable(definePolicy({ tools: { refund: ask() } }));
    await using harness = await openHarness({
      database,
      tools,
      policy,
      checkpointing,
      reply: inTurns({ toolCalls: [refund] }),
    });
    const { runId } = await harness.say("Refund");
    const approval = await harness.onlyPending();
    rules.now = definePolicy({ tools: { "*": allow() } });
    await harness.decide(approval, "deny");
    await harness.ended(runId);
    expect(effects).toEqual([]);
  });

  it("to stricter rules withdraws a pending call despite its approval, and applies to the next call", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const { policy, rules } = replaceable(definePolicy({ tools: { refund: ask(), email: allow() } }));
    const reply = inTurns({ toolCalls: [refund] }, { toolCalls: [email] });
    await using harness = await openHarness({ database, tools, policy, reply, checkpointing });
    const { runId } = await harness.say("Refund and tell");
    const approval = await harness.onlyPending();
    rules.now = definePolicy({ tools: { refund: deny("Frozen"), email: ask() } });
    await harness.decide(approval, "approve");
    const next = await harness.onlyPending();
    expect(next.toolName).toBe("email");
    await harness.decide(next, "approve");
    await harness.ended(runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["email"]);
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "policy_changed" });
  });

  it("to stricter rules in a file does not ask about calls that already ran", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const file = join(mkdtempSync(join(tmpdir(), "countersign-policy-")), "policy.yaml");
    writeFileSync(
      file,
      "version: 1\nrules:\n  - { tools: email, verdict: allow }\n  - { tools: refund, verdict: ask }\n",
    );
    const policy = openPolicy({ defaults: file });
    const before = policy.version;
    const reply = inTurns({ toolCalls: [email] }, { toolCalls: [refund] });
    await using harness = await openHarness({ database, tools, policy, reply, checkpointing });
    const { runId } = await harness.say("Tell, then refund");
    const approval = await harness.onlyPending();
    expect(approval.toolName).toBe("refund");
    appendFileSync(file, "  - { tools: email, verdict: ask }\n");
    await eventually(() => (policy.version === before ? undefined : true), "the file is read again");
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect((await harness.call("finance", "/approvals")).body.items).toHaveLength(1);
    expect(effects.filter(({ tool }) => tool === "refund")).toHaveLength(1);
    policy.close();
  });
});
