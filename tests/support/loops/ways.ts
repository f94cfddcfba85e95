/** Every way in which an engine may replay a run. */
export const ways = [
  ["with checkpoints", { checkpointing: true }],
  ["replaying for each step", { replaying: "each-step" as const }],
  ["planning each step", { replaying: "each-planned-step" as const }],
] as const;
