import fc from "fast-check";
import { expect, it } from "vitest";
import { openOutageWorld, outages } from "./slack-outages.js";

const minute = 60_000;
type Kind = keyof typeof outages;
const kinds = Object.keys(outages) as Kind[];

// The property below has the other kinds too.
it.each(["refused", "a proxy's 503", "lost answers"] satisfies Kind[])(
  "after 45 minutes of %s, open calls are announced within a minute, in three cards and a roundup",
  async (kind) => {
    await using world = await openOutageWorld();
    await world.propose();
    await world.pass(2 * minute);
    await world.fake.outage(outages[kind]);
    for (let index = 1; index <= 10; index++) {
      await world.propose();
      await world.pass(4.5 * minute);
      if (index === 3) await world.deny(0);
      if (index % 3 === 0) await world.deny(index - 1);
    }
    const before = world.messages().length;
    await world.recover();
    await world.pass(minute);
    expect(world.problems()).toEqual([]);
    expect(world.messages().length - before).toBeLessThanOrEqual(4);
  },
);

type World = Awaited<ReturnType<typeof openOutageWorld>>;
type Step = (world: World) => Promise<void>;

const steps: fc.Arbitrary<{ step: Step; toString(): string }> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .boolean()
      .map((high) =>
        named(`propose ${high ? "high" : "low"}`, (world) => world.propose({ risk: high ? "high" : "low" })),
      ),
  },
  { weight: 3, arbitrary: fc.nat(12).map((index) => named(`deny ${index}`, (world) => world.deny(index))) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(5, 45, 120, 600)
      .map((seconds) => named(`pass ${seconds} s`, (world) => world.pass(seconds * 1_000))),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...kinds)
      .map((kind) => named(`outage: ${kind}`, (world) => world.fake.outage(outages[kind]))),
  },
  { weight: 1, arbitrary: fc.constant(named("recover", (world) => world.fake.outage(null))) },
);

function named(name: string, step: Step) {
  return { step, toString: () => name };
}

it("whatever happens in outages, open calls are announced and closed calls keep no buttons", async () => {
  const history = fc.array(steps, { minLength: 5, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(history, async (taken) => {
      await using world = await openOutageWorld();
      for (const { step } of taken) await step(world);
      await world.recover();
      await world.pass(minute);
      expect(world.problems()).toEqual([]);
    }),
    { numRuns: 8, endOnFailure: true },
  );
});
