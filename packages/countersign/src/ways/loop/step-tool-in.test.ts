import { describe, expect, it } from "vitest";
import { stepToolIn } from "./step-tool-in.js";

interface Steps {
  run(id: string, work: () => unknown): unknown;
  ai?: { infer(id: string): unknown };
}
const step: Steps = { run: (_id, work) => work() };
const other = { steps: step, step: { runAll: () => 1 } };

describe("a step tool in the source of a function", () => {
  it.each<[string | undefined, () => unknown]>([
    ["step.run", () => step.run("pay", () => 1)],
    ["step.ai.infer", () => step.ai?.infer("ask")],
    [undefined, () => other.step.runAll()],
    [undefined, () => other.steps.run("pay", () => 1)],
    [
      undefined,
      () => {
        // step.run("pay", …) is what this does not use.
        return 1;
      },
    ],
  ])("is %s", (expected, execute) => {
    expect(stepToolIn(execute)).toBe(expected);
  });
});
