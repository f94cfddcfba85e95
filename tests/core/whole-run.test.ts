import { allow, ask, definePolicy, deny, notify } from "countersign";
import { describe, expect, it } from "vitest";
import { runSql, statesTold, watchStates, wholeLog } from "../support/audit-log.js";
import { everyDatabase } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";

/** The value of an argument, recognisable anywhere. */
const secret = (name: string) => `secret-${name}-4711`;

const policy = definePolicy({
  tools: {
    lookup: notify(),
    refund: ask({ editable: ["amount"], decisions: ["approve", "edit", "deny", "respond"] }),
    email: ask({ decisions: ["approve", "deny", "respond"] }),
    erase: deny("Never"),
    "*": allow(),
  },
});

describe.each(everyDatabase)("a whole run on $name", ({ open }) => {
  it("logs every state change in a chain that verifies, and logs no argument", async () => {
    await using database = await open();
    const refund = (name: string) => ({ name: "refund", input: { id: secret(name), amount: 471_101 } });
    await using harness = await openHarness({
      database,
      policy,
      tools: deskTools().tools,
      reply: inTurns({
        toolCalls: [
          { name: "lookup", input: { id: secret("notified") } },
          { name: "erase", input: { id: secret("forbidden") } },
          { name: "launch", input: { id: secret("unknown-tool") } },
          { name: "refund", input: { id: secret("invalid"), amount: secret("invalid-amount") } },
          refund("approved"),
          refund("edited"),
          refund("denied"),
          { name: "email", input: { to: secret("responded"), text: secret("text") } },
          { name: "email", input: { to: secret("expired"), text: secret("text") } },
        ],
      }),
    });
    const states = await watchStates(database);
    const { runId } = await harness.say("Go");
    const pending = await harness.pending(5);
    const decide = (name: string, body: object) => {
      const approval = pending.find(({ input }) => Object.values(Object(input)).includes(secret(name)));
      return harness.call("finance", `/approvals/${approval?.id}/decision`, {
        method: "POST",
        body: { digest: approval?.digest, ...body },
      });
    };
    const answers = [
      await decide("approved", { type: "approve" }),
      await decide("edited", { type: "edit", input: { id: secret("edited"), amount: 471_102 } }),
      await decide("denied", { type: "deny", reason: "Not today" }),
      await decide("responded", { type: "respond", response: { said: secret("response") } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await harness.clock.advance(31 * 60_000);
    await harness.ended(runId);

    const log = await wholeLog(harness.store, "acme");
    const loggedStates = statesTold(log);
    expect(loggedStates).toEqual(await states());
    expect([...loggedStates.values()].map((all) => all.join(" ")).sort()).toEqual(
      [
        "approved executing executed",
        "denied",
        "proposed pending approved executing executed",
        "proposed pending approved executing executed",
        "proposed pending denied",
        "proposed pending expired",
        "proposed pending responded",
      ].sort(),
    );
    expect(log.filter(({ type }) => type === "call.refused")).toHaveLength(2);

    expect(log.map(({ position }) => position)).toEqual(log.map((_, index) => index + 1));
    expect(await harness.store.verifyAudit("acme")).toEqual({
      ok: true,
      entries: log.length,
      head: { position: log.length, hash: log.at(-1)?.hash },
      deleted: 0,
      sealed: [],
    });
    const times = log.map(({ at }) => at.getTime());
    expect(times).toEqual(times.toSorted((one, other) => one - other));

    const rows = await runSql(database, "select to_json(e)::text as entry from countersign.audit_entries e");
    const written = rows.map(({ entry }) => entry).join("\n");
    // The boundaries are needed because a hash may contain the same digits by chance.
    expect(written).not.toMatch(/secret-|\b47110\d\b/);
  });

  it("logs the withdrawal of a pending call when the run is cancelled", async () => {
    await using database = await open();
    await using harness = await openHarness({
      database,
      policy,
      tools: deskTools().tools,
      reply: inTurns({ toolCalls: [{ name: "email", input: { to: "a", text: "b" } }] }),
    });
    const states = await watchStates(database);
    const { runId } = await harness.say("Go");
    await harness.onlyPending();
    await harness.store.withdrawRun(runId, "run_cancelled");
    const log = await eventually(async () => {
      const entries = await wholeLog(harness.store, "acme");
      return entries.at(-1)?.type === "approval.withdrawn" ? entries : undefined;
    }, "the withdrawal is logged");
    expect(statesTold(log)).toEqual(await states());
    expect(log.at(-1)?.data).toMatchObject({ cause: "run_cancelled" });
    expect(await harness.store.verifyAudit("acme")).toMatchObject({ ok: true, entries: 3 });
  });
});
