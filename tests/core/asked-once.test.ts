import { expect, it } from "vitest";
import { agents } from "../durability/asked-once/agents.js";
import { askOnce } from "../durability/asked-once/ask-once.js";

// With checkpoints, the first pass sees the model's own order of keys, and each replay the engine's.
it.each(["AgentKit, Anthropic", "a loop, Anthropic"])(
  "%s asks once about each call, starts it at most once, and never if it was denied",
  async (name) => {
    const agent = agents[name];
    if (!agent) return expect.unreachable(`there is no agent ${name}`);
    await askOnce(agent, { checkpointing: true });
  },
);
