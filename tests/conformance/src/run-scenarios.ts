import { DemoProblem } from "./demo-problem.js";
import type { Desk } from "./desk.js";
import type { Scenario } from "./scenarios.js";

export type Result = { name: string } & (
  | { outcome: "passed"; ms: number }
  | { outcome: "skipped"; why: string }
  /** `expects` is absent if the failure was not the server's. */
  | { outcome: "failed"; problem: string; expects?: string }
);

/** Plays one scenario. Never throws: a failure becomes the result. */
export async function runScenario(scenario: Scenario, desk: Desk): Promise<Result> {
  const { name, expects } = scenario;
  const why = scenario.skip?.(desk);
  if (why !== undefined) return { name, outcome: "skipped", why };
  const begun = performance.now();
  try {
    await scenario.play(desk);
    return { name, outcome: "passed", ms: Math.round(performance.now() - begun) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { name, outcome: "failed", problem, ...(error instanceof DemoProblem ? {} : { expects }) };
  }
}

/** One line, or three for a failure. */
export function describe(result: Result): string {
  switch (result.outcome) {
    case "passed":
      return `ok    ${result.name} (${result.ms} ms)`;
    case "skipped":
      return `skip  ${result.name}: ${result.why}`;
    case "failed": {
      const { name, problem, expects } = result;
      const blame =
        expects === undefined
          ? "This says nothing about the server."
          : `Expected of the server: it ${expects}.`;
      return `FAIL  ${name}\n      ${problem}\n      ${blame}`;
    }
  }
}

/** The number of results of each outcome. */
export function summary(results: readonly Result[]): string {
  const count = (outcome: Result["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`;
}
