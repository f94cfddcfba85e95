import { it } from "vitest";
import { agents } from "./agents.js";
import { askOnce } from "./ask-once.js";

/** Agents that meet the whole of each way; tests/core/asked-once.test.ts runs some with checkpoints. */
const inOtherWays = [
  ["AgentKit, Anthropic", { checkpointing: false }],
  ["a loop, Anthropic", { replaying: "each-step" }],
  ["applyProfile", { replaying: "each-planned-step" }],
] as const;

// With checkpoints, a replay reads keys in another order than the first pass.
const runs = [
  ...Object.keys(agents).flatMap((name) =>
    inOtherWays.slice(0, 2).some(([other]) => other === name)
      ? []
      : [[name, { checkpointing: true }] as const],
  ),
  ...inOtherWays,
];

it.each(runs)(
  "a run of %s asks once about each call, starts it at most once, and never if it was denied, with %j",
  async (name, how) => {
    const agent = agents[name];
    if (!agent) throw new Error(`there is no agent ${name}`);
    await askOnce(agent, how);
  },
);
