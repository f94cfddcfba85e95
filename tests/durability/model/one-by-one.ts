import fc from "fast-check";
import { expect } from "vitest";
import { type Act, aim, type Choice, choose } from "./acts/act.js";
import { decisions } from "./acts/decide.js";
import * as engine from "./acts/engine.js";
import * as person from "./acts/people.js";
import {
  coveredCalls,
  type Proposed,
  proposing,
  request,
  requestToAllow,
  requestToVoteOn,
} from "./acts/propose.js";
import { compare, compareLists } from "./compare.js";
import type { Model } from "./model.js";
import { people } from "./people.js";
import type { World } from "./world.js";

/** The model, and all acts so far. */
export interface Progress {
  model: Model;
  done: Act[];
}

class Step implements fc.AsyncCommand<Progress, World> {
  private act: Act | undefined;

  constructor(private readonly choice: (progress: Progress) => Act | undefined) {}

  check(progress: Readonly<Progress>): boolean {
    this.act = this.choice(progress);
    return this.act !== undefined;
  }

  async run(progress: Progress, world: World): Promise<void> {
    if (!this.act) throw new Error("unreachable: only what was checked runs");
    await carryOut(this.act, progress, world);
  }

  toString(): string {
    return this.act?.name ?? "nothing";
  }
}

/** Carries out one act in the model and in the real system, half a second after the last one, and compares the two. */
export async function carryOut(act: Act, { model, done }: Progress, world: World): Promise<void> {
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

type Happenings = {
  requests: fc.Arbitrary<Proposed>;
  more: [times: number, choices: fc.Arbitrary<Choice>][];
};

/** A first request and the acts after it, each kind as often as its weight says. */
function livesOf({ requests, more }: Happenings) {
  const commands = [
    ...often(3, steps(requests.map(proposing))),
    ...often(9, steps(engine.announcements)),
    ...often(24, steps(decisions)),
    ...more.flatMap(([times, choices]) => often(times, steps(choices))),
    ...often(4, repetitions),
  ];
  return fc.record({ first: requests, commands: fc.commands(commands, { maxCommands: 110, size: "max" }) });
}

/** All kinds of acts in sequence; those that move an approval forward are more frequent. */
const everything = livesOf({
  requests: request,
  more: [
    [4, person.assignments],
    [4, person.extensions],
    [1, person.looks],
    [4, person.takingsBack],
    [8, person.resolutions],
    [1, person.revocations],
    [6, coveredCalls],
    [2, engine.time],
    [3, engine.settlements],
    [2, engine.peeks],
    [8, engine.claims],
    [8, engine.ends],
    [3, fc.oneof(engine.endedRuns, engine.newMessages, engine.brokenWaits)],
    [1, engine.sweeps],
    [1, engine.relays],
  ],
});

const votes = livesOf({
  requests: requestToVoteOn,
  more: [
    [9, person.assignments],
    [6, person.takingsBack],
    [1, engine.peeks],
    [1, engine.time],
  ],
});

const grants = livesOf({
  requests: requestToAllow,
  more: [
    [18, coveredCalls],
    [2, person.revocations],
    [8, engine.claims],
    [2, engine.ends],
    [2, person.resolutions],
    [1, engine.time],
  ],
});

/** Lives with all kinds of acts, or mainly with votes or grants. */
export const lives = fc.oneof({ arbitrary: everything, weight: 2 }, votes, grants);
