import fc from "fast-check";
import { expect, it } from "vitest";
import { holdForEnough } from "../../support/properties/hold-for-enough.js";
import { runs } from "../model/settings.js";
import * as acts from "./acts.js";
import { compare } from "./compare.js";
import { Model } from "./model.js";
import { openWorld, type World } from "./world.js";

/** The model, and all acts so far. */
interface Progress {
  model: Model;
  done: string[];
}

class Step implements fc.AsyncCommand<Progress, World> {
  private act: acts.Act | undefined;

  constructor(private readonly choice: acts.Choice) {}

  check({ model }: Readonly<Progress>): boolean {
    this.act = this.choice(model);
    return this.act !== undefined;
  }

  async run({ model, done }: Progress, world: World): Promise<void> {
    if (!this.act) throw new Error("unreachable: only what was checked runs");
    done.push(this.act.name);
    model.now += 500;
    await world.setTime(model.now);
    try {
      await this.act.perform(model, world);
      await compare(model, world);
    } catch (error) {
      throw new Error(`The last of these did not do what it should:\n${done.join("\n")}`, { cause: error });
    }
  }

  toString(): string {
    return this.act?.name ?? "nothing";
  }
}

const kinds: [times: number, choices: fc.Arbitrary<acts.Choice>][] = [
  [5, acts.bookings],
  [8, acts.requests],
  [4, acts.racingRequests],
  [6, acts.decisions],
  [9, acts.runs],
  [2, acts.racingRuns],
  [5, acts.resolutions],
  [3, acts.time],
  [1, acts.stops],
  [2, acts.releases],
  [1, acts.sweeps],
];

const lives = fc.commands(
  kinds.flatMap(([times, choices]) =>
    Array.from({ length: times }, () => choices.map((choice) => new Step(choice))),
  ),
  { maxCommands: 50, size: "max" },
);

it("a call is undone at most once, whoever asks for it, and wherever a process dies", async () => {
  await using world = await openWorld();
  await holdForEnough(
    fc.asyncProperty(lives, async (commands) => {
      await world.reset();
      const model = new Model();
      await fc.asyncModelRun(() => ({ model: { model, done: [] }, real: world }), commands);
      expect(await world.verify()).toMatchObject({ ok: true });
    }),
    runs(20),
    8,
  );
}, 600_000);
