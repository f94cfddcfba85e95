import { deepEqual, ok } from "node:assert/strict";
import { exampleRoundup } from "./example-delivery.js";
import { accepted, type TriedChannel } from "./try-channel.js";

/** Requirements for channels with roundups. */
export const roundupChecks: Record<string, (under: TriedChannel) => Promise<void>> = {
  async "a roundup says how many calls wait and offers no decision"(under) {
    if (!under.channel.sendRoundup) return;
    accepted(await under.sendRoundup(exampleRoundup));
    const { text, buttons } = await under.last();
    ok(/\b12\b/.test(text), "the message lacks the number of calls");
    for (const { name } of exampleRoundup.tools)
      ok(text.includes(name), `the message lacks the tool ${name}`);
    deepEqual(buttons, [], "it offers a decision");
  },
};
