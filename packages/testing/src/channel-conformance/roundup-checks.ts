import { deepEqual, equal, ok } from "node:assert/strict";
import { roundupOf } from "./example-delivery.js";
import { accepted, type TriedChannel } from "./try-channel.js";

/** Requirements for channels with roundups. */
export const roundupChecks: Record<string, (under: TriedChannel) => Promise<void>> = {
  async "a roundup says how many calls wait and offers no decision"(under) {
    if (!under.channel.sendRoundup) return;
    accepted(await under.sendRoundup(roundupOf()));
    const { text, buttons } = await under.last();
    ok(/\b12\b/.test(text), "the message lacks the number of calls");
    for (const { name } of roundupOf().tools) ok(text.includes(name), `the message lacks the tool ${name}`);
    deepEqual(buttons, [], "it offers a decision");
  },

  async "a roundup whose calls are over shows that nothing waits"(under) {
    if (!under.channel.sendRoundup) return;
    const { reference } = accepted(await under.sendRoundup(roundupOf()));
    const over = roundupOf({
      version: 2,
      open: 0,
      closed: 12,
      tools: [],
      calls: [],
      newest: [],
      highRisk: 0,
      oldest: null,
    });
    accepted(await under.sendRoundup(over, reference));
    const seen = await under.seen();
    const { text, buttons } = await under.last();
    ok(!text.includes("issue_refund"), "the message still names calls that are over");
    deepEqual(buttons, [], "it offers a decision");
    if (under.channel.mode === "card") equal(seen.length, 1, "the update is a message of its own");
  },
};
