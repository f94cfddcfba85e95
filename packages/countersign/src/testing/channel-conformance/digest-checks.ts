import { deepEqual, equal, ok } from "node:assert/strict";
import { digestOf } from "./example-delivery.js";
import { accepted, type TriedOut } from "./tried-out.js";

/** Requirements for channels with digests. */
export const digestChecks: Record<string, (under: TriedOut) => Promise<void>> = {
  async "a digest says how many calls wait and offers no decision"(under) {
    if (!under.channel.sendDigest) return;
    accepted(await under.sendDigest(digestOf()));
    const { text, buttons } = await under.last();
    ok(/\b12\b/.test(text), "the message lacks the number of calls");
    for (const { name } of digestOf().tools) ok(text.includes(name), `the message lacks the tool ${name}`);
    deepEqual(buttons, [], "it offers a decision");
  },

  async "a digest whose calls are over shows that nothing waits"(under) {
    if (!under.channel.sendDigest) return;
    const { reference } = accepted(await under.sendDigest(digestOf()));
    const over = digestOf({
      version: 2,
      open: 0,
      closed: 12,
      tools: [],
      calls: [],
      newest: [],
      highRisk: 0,
      oldest: null,
    });
    accepted(await under.sendDigest(over, reference));
    const seen = await under.seen();
    const { text, buttons } = await under.last();
    ok(!text.includes("issue_refund"), "the message still names calls that are over");
    deepEqual(buttons, [], "it offers a decision");
    if (under.channel.mode === "card") equal(seen.length, 1, "the update is a message of its own");
  },
};
