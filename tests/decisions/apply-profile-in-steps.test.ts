import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";

it("a function of applyProfile that is called inside step.run fails at once, where it would wait for ever", async () => {
  const policy = definePolicy({ tools: {}, profiles: { supervised: { tools: { save: ask() } } } });
  const saved: object[] = [];
  await using database = await freshPostgres();
  await using harness = await openHarness({
    ...{ database, policy, tools: [], reply: () => ({ text: "unused" }) },
    run: ({ countersign, step }) => {
      const save = (input: object) => saved.push(input);
      const gated = countersign.applyProfile({ save }, { profile: "supervised" });
      return step.run("script", () => gated.save({ path: "a" }));
    },
  });
  const { runId } = await harness.say("go");
  const { output } = await harness.ended(runId, "Failed");
  expect(output).toMatchObject({
    message: expect.stringContaining('applyProfile: "save" was called inside step.run'),
  });
  expect(saved).toEqual([]);
});
