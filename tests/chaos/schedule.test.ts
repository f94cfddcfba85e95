import { describe, expect, it } from "vitest";
import { createRandom } from "./random.js";
import { type Fate, fatesOf, planFaults } from "./scenario/faults.js";
import { planRun } from "./scenario/plan.js";

const options = { durationMs: 120_000, apps: 3, apis: 2, drill: false, points: undefined };

/** Everything that a seed decides before anything runs. */
function scheduleOf(seed: string) {
  const random = createRandom("chaos", seed);
  const fate = fatesOf(random, "app", 1);
  return {
    faults: planFaults(random, options),
    runs: Array.from({ length: 50 }, (_, index) =>
      planRun(random, index, { longestDelayMs: 9000, drill: false }),
    ),
    fates: Array.from({ length: 500 }, (): Fate => fate()),
  };
}

describe("the schedule of a run of chaos", () => {
  it("is the same for equal seeds and differs for different seeds", () => {
    expect(scheduleOf("7")).toEqual(scheduleOf("7"));
    expect(scheduleOf("7")).not.toEqual(scheduleOf("8"));
  });

  it("does not depend on earlier random draws", () => {
    const random = createRandom("chaos", "7");
    planRun(random, 3, { longestDelayMs: 9000, drill: false });
    expect(planFaults(random, options)).toEqual(scheduleOf("7").faults);
  });

  it("contains every kind of fault within two minutes", () => {
    const { faults, fates } = scheduleOf("7");
    expect(
      new Set(faults.map((fault) => (fault.kind === "kill" ? `kill ${fault.role}` : fault.kind))),
    ).toEqual(
      new Set([
        "kill app",
        "kill api",
        "kill engine",
        "shift clock",
        "terminate connections",
        "channels down",
        "restart Postgres",
        "reload policy",
      ]),
    );
    expect(new Set(fates.map(({ kind }) => kind))).toEqual(
      new Set(["deliver", "delay", "drop", "drop the answer", "answer 500", "twice"]),
    );
  });
});
