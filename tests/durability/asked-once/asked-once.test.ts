import { describe, it } from "vitest";
import { agents } from "./agents.js";
import { askOnce } from "./ask-once.js";

const ways = {
  "with checkpoints": { checkpointing: true },
  "without checkpoints": { checkpointing: false },
  "replaying for each step": { replaying: "each-step" },
  "replaying to plan each step": { replaying: "each-planned-step" },
} as const;

describe.each(Object.entries(agents))("a run of %s", (_agent, agent) => {
  it.each(Object.entries(ways))(
    "asks once about each call, starts it at most once, and never if it was denied, %s",
    (_way, way) => askOnce(agent, way),
  );
});
