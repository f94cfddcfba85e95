import { describe, expect, it } from "vitest";
import { freshPostgres } from "../../support/databases.js";
import { play, type Way } from "./play.js";
import { decisionScenarios } from "./scenarios/decisions.js";
import { runScenarios } from "./scenarios/runs.js";
import { toolScenarios } from "./scenarios/tools.js";

const ways: { way: string; options: Way }[] = [
  { way: "with checkpoints, over HTTP", options: { transport: "http" } },
  {
    way: "replaying for each step, in process",
    options: { transport: "in-process", replaying: "each-step" },
  },
  {
    way: "replaying to plan each step and again to run it, over HTTP",
    options: { transport: "http", replaying: "each-planned-step" },
  },
];

const scenarios = [...decisionScenarios, ...toolScenarios, ...runScenarios];

describe.each(scenarios)("the scenario in which $name", (scenario) => {
  it("has the same outcome and the same steps, however it is replayed", async () => {
    // All ways share one database, because each ends everything that it starts.
    await using database = await freshPostgres();
    const { ends } = scenario;
    const first = await play(scenario, { transport: "in-process" }, database);
    expect(first.statuses).toEqual(ends.statuses);
    expect(first.outcome.effects.map((effect) => Reflect.get(Object(effect), "tool"))).toEqual(ends.ran);
    if (ends.modelReads) expect(JSON.stringify(first.outcome.transcripts.at(-1))).toContain(ends.modelReads);
    if (ends.state) expect(first.outcome.states.at(-1)).toMatchObject(ends.state);
    // Steps that begin side by side are planned anyway, and no checkpoint follows one that was planned.
    const isCheckpointed = scenario.unordered === undefined;
    if (isCheckpointed) expect(first.counts.checkpoints).toBeGreaterThan(0);

    for (const { way, options } of ways) {
      const again = await play(scenario, options, database);
      expect(again.outcome, way).toEqual(first.outcome);
      if (!options.replaying) continue;
      expect(again.counts).toMatchObject({ checkpoints: 0, mostStepsRunInARequest: 1 });
      if (isCheckpointed) expect(again.counts.requests).toBeGreaterThan(first.counts.requests);
    }
  });
});

const others = scenarios.flatMap((scenario) =>
  scenario.onlyAgentKit
    ? []
    : (["loop", "ai-sdk"] as const).map((agent) => ({ ...scenario, scenario, agent })),
);

it.each(others)(
  "with the agent $agent, the scenario in which $name ends the same",
  async ({ scenario, agent }) => {
    await using database = await freshPostgres();
    const { ends } = scenario;
    const first = await play(scenario, { agent, transport: "in-process" }, database);
    expect(first.statuses).toEqual(ends.statuses);
    expect(first.outcome.effects.map((effect) => Reflect.get(Object(effect), "tool"))).toEqual(ends.ran);
    if (ends.modelReads) expect(JSON.stringify(first.outcome.transcripts.at(-1))).toContain(ends.modelReads);
    const replaying = "each-planned-step";
    const again = await play(scenario, { agent, transport: "in-process", replaying }, database);
    expect(again.outcome).toEqual(first.outcome);
    expect(again.counts).toMatchObject({ checkpoints: 0, mostStepsRunInARequest: 1 });
  },
);

const isRound = /^(wait|look-again)-\d+$/;

/** The outcome, but for how often the orchestrator looked again. */
function withoutRounds({ outcome }: Awaited<ReturnType<typeof play>>) {
  const steps = outcome.steps.map(({ fn, ids }) => ({ fn, ids: ids.filter((id) => !isRound.test(id)) }));
  return { ...outcome, steps };
}

const agents = [undefined, "loop", "ai-sdk"] as const;

it.each(scenarios.flatMap((scenario) => agents.map((agent) => ({ name: scenario.name, scenario, agent }))))(
  "with the agent $agent, the scenario in which $name ends the same if each finished step is asked for again",
  async ({ scenario, agent }) => {
    if (agent && scenario.onlyAgentKit) return;
    await using database = await freshPostgres();
    const planned: Way = {
      transport: "in-process",
      replaying: "each-planned-step",
      ...(agent && { agent }),
    };
    const first = await play(scenario, planned, database);
    const again = await play(scenario, { ...planned, finishedAgain: true }, database);
    expect(again.again.repeated).toBeGreaterThan(0);
    expect(again.again.failed).toEqual([]);
    expect(withoutRounds(again)).toEqual(withoutRounds(first));
  },
);
