import { ask, definePolicy } from "countersign";
import type { Sent } from "countersign/types";
import { afterEach, describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";
import { refundsOf } from "../support/inbox/refunds.js";
import { recordingChannel } from "../support/recording-channel.js";
import { takeWarning } from "../support/run/warnings.js";
import { openWaitingRefund, type WaitingRefundOptions } from "../support/waiting-refund.js";

const crashPoint = Symbol.for("countersign:crash-point");
const policy = definePolicy({
  tools: { refund: ask({ approvers: { roles: ["finance"] }, notify: ["test:#finance"] }) },
});
const quiet = { logger: { info: () => {}, warn: () => {}, error: () => {} } };

afterEach(() => {
  Reflect.deleteProperty(globalThis, crashPoint);
});

function open(test: ReturnType<typeof recordingChannel>, options: WaitingRefundOptions = {}) {
  const countersign = { channels: [test.channel], inboxUrl: "https://desk.example.com/inbox/", ...quiet };
  return openWaitingRefund({ policy, countersign, ...options });
}

type World = Awaited<ReturnType<typeof open>>;

/** Advances the clock minute by minute, so that the relay runs, until `look` returns something. */
async function advanceUntil<T>({ harness }: World, look: () => T | undefined, what: string): Promise<T> {
  return harness.onceAtRest(async () => {
    const found = look();
    if (found === undefined) await harness.clock.advance("1m");
    return found;
  }, what);
}

it("three of five calls of a run have cards, and a roundup counts the others", async () => {
  const test = recordingChannel({ roundup: { after: 3, withinMs: 60_000 } });
  const { tools } = deskTools();
  await using database = await freshPostgres();
  await using harness = await openHarness({
    database,
    tools,
    policy,
    reply: inTurns(refundsOf(...Array.from({ length: 5 }, (_, at) => 80 + at))),
    countersign: { channels: [test.channel], ...quiet },
  });
  const { runId } = await harness.say("My parcels never arrived.");
  const calls = await harness.pending(5);
  const roundup = await harness.onceAtRest(async () => {
    // A roundup waits a few seconds for further calls.
    if (test.roundups.length === 0) await harness.clock.advance("1s");
    return test.roundups[0];
  }, "a roundup was sent");
  expect(roundup.roundup.calls).toBe(2);
  expect(test.shown.size).toBe(3);
  for (const call of calls) await harness.decide(call, "deny");
  await harness.ended(runId);
  await eventually(
    () => ([...test.shown.values()].every(({ status }) => status === "denied") ? true : undefined),
    "the cards show the end",
  );
  expect(test.roundups).toHaveLength(1);
});

describe("a channel of a running installation", () => {
  it("gets a card, which shows the outcome after the run", async () => {
    const test = recordingChannel();
    await using world = await open(test);
    const { harness, approval, runId } = world;
    await eventually(() => test.sent[0], "the card was sent");
    expect(test.sent).toMatchObject([
      {
        event: "approval.pending",
        recipient: { id: "#finance" },
        card: {
          approvalId: approval.id,
          digest: approval.digest,
          summary: approval.summary,
          url: `https://desk.example.com/inbox/approvals/${approval.id}`,
          fields: [
            { name: "id", text: "A-1" },
            { name: "amount", text: "80" },
          ],
          decisions: [],
        },
      },
    ]);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    const card = await eventually(
      () => [...test.shown.values()].find(({ status }) => status === "executed"),
      "the card shows the end",
    );
    expect(card).toMatchObject({ open: false, outcome: { text: "Approved by finance. It ran" } });
    expect(test.shown.size).toBe(1);
  });

  it("gets the card from the relay if the event was lost after the commit", async () => {
    const test = recordingChannel();
    let lost = 0;
    await using world = await open(test, {
      onEvent: ({ name }) => (name === "countersign/delivery.due" && lost++ < 2 ? "drop" : "deliver"),
    });
    expect(test.sent).toEqual([]);
    await advanceUntil(world, () => test.sent[0], "the relay sent the card");
    expect(lost).toBeGreaterThan(0);
  });

  it("gets the card from the relay if the process died before the event", async () => {
    takeWarning(/An observer of the store threw/);
    let died = 0;
    Reflect.set(globalThis, crashPoint, (name: string) => {
      if (name === "before-due-event" && died++ === 0) throw new Error("died");
    });
    const test = recordingChannel();
    await using world = await open(test);
    await advanceUntil(world, () => test.sent[0], "the relay sent the card");
    expect(died).toBeGreaterThan(0);
  });

  it("gets the same message again if the process died after sending it", async () => {
    let died = 0;
    Reflect.set(globalThis, crashPoint, (name: string) => {
      if (name === "after-send" && died++ === 0) throw new Error("died");
    });
    const test = recordingChannel();
    await using world = await open(test);
    await advanceUntil(world, () => test.sent[1], "the card was sent again");
    const [first, second] = test.sent;
    expect(second).toMatchObject({ id: first?.id, messageId: first?.messageId, attempts: 1 });
  });

  it("gets one message if its event arrives twice", async () => {
    const test = recordingChannel();
    await using world = await open(test, {
      onEvent: ({ name }) => (name === "countersign/delivery.due" ? "twice" : "deliver"),
    });
    await eventually(() => test.sent[0], "the card was sent");
    const statuses = await eventually(async () => {
      const runs = await world.harness.functionRuns("countersign-deliver");
      return runs.length >= 4 && runs.every(({ status }) => status !== "Running") ? runs : undefined;
    }, "all runs ended");
    expect(new Set(statuses.map(({ status }) => status)).size).toBe(1);
    expect(test.attempts).toHaveLength(1);
  });

  it("delays neither the decision nor the run nor another channel while it never answers", async () => {
    const never = () => new Promise<Sent>(() => {});
    const test = recordingChannel({ answers: Array.from({ length: 30 }, () => never) });
    const other = recordingChannel({ name: "other" });
    const both = definePolicy({ tools: { refund: ask({ notify: ["test", "other"] }) } });
    await using world = await open(test, {
      policy: both,
      countersign: { channels: [test.channel, other.channel], ...quiet },
    });
    const { harness, approval, runId, effects } = world;
    await advanceUntil(world, () => test.attempts[0], "the broken channel was tried");
    expect((await harness.decide(approval, "approve")).status).toBe(200);
    await harness.ended(runId);
    expect(effects).toHaveLength(1);
    await advanceUntil(
      world,
      () => [...other.shown.values()].find(({ status }) => status === "executed"),
      "the other channel shows the end",
    );
    expect(test.sent).toEqual([]);
  });
});
