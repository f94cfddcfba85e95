import fc from "fast-check";
import { expect } from "vitest";
import { type Act, aim, type Choice, choose } from "./acts/act.js";
import { decisions } from "./acts/decide.js";
import * as engine from "./acts/engine.js";
import * as person from "./acts/people.js";
import { coveredCalls, proposing, request } from "./acts/propose.js";
import { compare, compareLists } from "./compare.js";
import type { Model } from "./model.js";
import { people } from "./people.js";
import type { World } from "./world.js";

/** The model, and everything that was done so far. */
export interface Told {
  model: Model;
  done: Act[];
}

class Step implements fc.AsyncCommand<Told, World> {
  private act: Act | undefined;

  constructor(private readonly choice: (told: Told) => Act | undefined) {}

  check(told: Readonly<Told>): boolean {
    this.act = this.choice(told);
    return this.act !== undefined;
  }

  async run(told: Told, world: World): Promise<void> {
    if (!this.act) throw new Error("unreachable: only what was checked runs");
    await carryOut(this.act, told, world);
  }

  toString(): string {
    return this.act?.name ?? "nothing";
  }
}

/** Does one thing in both worlds, half a second after the last one, and compares them. */
export async function carryOut(act: Act, { model, done }: Told, world: World): Promise<void> {
  model.now += 500;
  const expected = act.predict(model);
  await world.setTime(model.now);
  try {
    expect(await act.perform(world)).toEqual(expected);
    await compare(model, world);
    await compareLists(model, world, [choose(people, done.length)]);
  } catch (error) {
    const story = [...done, act].map(({ name }) => name).join("\n");
    throw new Error(`The last of these did not do what it should:\n${story}`, { cause: error });
  }
  done.push(act);
}

const steps = (choices: fc.Arbitrary<Choice>) =>
  choices.map((choice) => new Step(({ model }) => choice(model)));

const repetitions = aim.map(
  (number) => new Step(({ done }) => (done.length > 0 ? choose([...done].reverse(), number % 6) : undefined)),
);

const often = <Item>(times: number, item: Item): Item[] => Array.from({ length: times }, () => item);

/** What may happen one after the other; what leads on in an approval's life happens more often. */
export const commands = fc.commands(
  [
    ...often(3, steps(request.map(proposing))),
    ...often(9, steps(engine.announcements)),
    ...often(24, steps(decisions)),
    ...often(4, steps(person.assignments)),
    ...often(4, steps(person.extensions)),
    steps(person.looks),
    ...often(8, steps(person.resolutions)),
    steps(person.revocations),
    ...often(2, steps(engine.time)),
    ...often(3, steps(engine.settlements)),
    ...often(2, steps(engine.peeks)),
    ...often(8, steps(engine.claims)),
    ...often(8, steps(engine.ends)),
    ...often(3, steps(fc.oneof(engine.endedRuns, engine.newMessages, engine.brokenWaits))),
    ...often(6, steps(coveredCalls)),
    steps(engine.sweeps),
    steps(engine.relays),
    ...often(4, repetitions),
  ],
  { maxCommands: 110, size: "max" },
);
