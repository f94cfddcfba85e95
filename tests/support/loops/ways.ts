/** Every way in which an engine may replay a run. tests/durability/replay compares them. */
export const ways = [
  { way: "with checkpoints", how: { checkpointing: true } },
  { way: "replaying for each step", how: { replaying: "each-step" } },
  { way: "planning each step", how: { replaying: "each-planned-step" } },
] as const;

/** The cases of a table, each in one of the ways, which take turns. */
export function takingTurns<T extends object>(cases: readonly T[]) {
  return cases.map((each, index) => ({ ...each, ...(ways[index % ways.length] ?? ways[0]) }));
}

/** The way that forgives the least: a new process plans each step, and another one runs it. */
export const hardestWay = { replaying: "each-planned-step" } as const;
