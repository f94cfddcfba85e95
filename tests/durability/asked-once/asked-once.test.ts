import { it } from "vitest";
import { agents } from "./agents.js";
import { askOnce } from "./ask-once.js";

const checkpointing = { way: "with checkpoints", how: { checkpointing: true } } as const;
const others = [
  { way: "without checkpoints", how: { checkpointing: false } },
  { way: "replaying for each step", how: { replaying: "each-step" } },
  { way: "replaying to plan each step", how: { replaying: "each-planned-step" } },
] as const;

/** Every agent with checkpoints, where a replay reads keys in another order, and in one of the other ways in turn. */
const runs = Object.entries(agents).flatMap(([name, agent], index) =>
  [checkpointing, others[index % others.length] ?? others[0]].map((each) => ({ name, agent, ...each })),
);

it.each(runs)(
  "a run of $name asks once about each call, starts it at most once, and never if it was denied, $way",
  ({ agent, how }) => askOnce(agent, how),
);
