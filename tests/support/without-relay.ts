import type { HarnessOptions } from "./harness-options.js";

/** Leaves out the relay, for what must come about without it. */
export const withoutRelay: NonNullable<HarnessOptions["served"]> = (functions) =>
  functions.filter((candidate) => !candidate.id().includes("relay"));
