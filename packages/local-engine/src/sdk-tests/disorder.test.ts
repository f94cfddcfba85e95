import { expect, test } from "vitest";
import { createHarness } from "../testing/sdk-harness.js";

const names = ["one", "two", "three", "four", "five", "six"];

/** Plays a function with steps one after another and at once. Returns what was entered, in order, and the run's result. */
async function play(disorder?: string) {
  const entered: string[] = [];
  await using harness = await createHarness(
    (inngest) => [
      inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step }) => {
        entered.push("function");
        const run = (name: string) =>
          step.run(name, () => {
            entered.push(name);
            return { name };
          });
        const results: unknown[] = [];
        for (const name of names) results.push(await run(`first ${name}`));
        results.push(...(await Promise.all(names.map((name) => run(`then ${name}`)))));
        return results;
      }),
    ],
    disorder === undefined ? {} : { disorder },
  );
  const [run] = await harness.send("t/start");
  return { entered, run };
}

const expected = ["first", "then"].flatMap((when) => names.map((name) => ({ name: `${when} ${name}` })));

test("without disorder, each step runs once and in order", async () => {
  const { entered, run } = await play();
  expect(run).toMatchObject({ status: "Completed", output: expected });
  expect(entered.filter((name) => name !== "function")).toEqual(expected.map(({ name }) => name));
});

test("with disorder, a run has the same result, and requests come repeated, in parts and in other orders", async () => {
  const ordered = await play();
  const plays = [];
  for (const seed of ["1", "2", "3", "4"]) plays.push(await play(seed));
  for (const { run } of plays) expect(run).toMatchObject({ status: "Completed", output: expected });
  const parallel = plays.map(({ entered }) => entered.filter((name) => name.startsWith("then")).join());
  expect(new Set(parallel).size).toBeGreaterThan(1);
  const requests = (entered: string[]) => entered.filter((name) => name === "function").length;
  const all = plays.reduce((sum, { entered }) => sum + requests(entered), 0);
  expect(all).toBeGreaterThan(plays.length * requests(ordered.entered));
});

test("the same seed repeats the order", async () => {
  expect((await play("5")).entered).toEqual((await play("5")).entered);
});
