import type { HarnessOptions } from "./harness-options.js";

/** Serves all functions but the relay, for tests of what must work without it. */
export const withoutRelay: NonNullable<HarnessOptions["served"]> = (functions) =>
  functions.filter((candidate) => !candidate.id().includes("relay"));
