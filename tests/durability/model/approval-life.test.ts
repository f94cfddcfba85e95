import fc from "fast-check";
import { expect, it } from "vitest";
import { holdForEnough } from "../../support/properties/hold-for-enough.js";
import { proposing } from "./acts/propose.js";
import { live, moments } from "./at-once.js";
import { compareLists } from "./compare.js";
import { checkStates } from "./invariants.js";
import { Model } from "./model.js";
import { carryOut, lives } from "./one-by-one.js";
import { people, tenants } from "./people.js";
import { runs } from "./settings.js";
import { openWorld, type World } from "./world.js";

async function checkLogs({ store }: World): Promise<void> {
  for (const tenant of tenants) expect(await store.verifyAudit(tenant)).toMatchObject({ ok: true });
}

it("an approval's life goes as the model says, whoever does what in whichever order", async () => {
  await using world = await openWorld(5);
  await holdForEnough(
    fc.asyncProperty(lives, async ({ first, commands }) => {
      await world.reset();
      const told = { model: new Model(), done: [] };
      const opening = proposing(first)(told.model);
      if (opening) await carryOut(opening, told, world);
      await fc.asyncModelRun(() => ({ model: told, real: world }), commands);
      await compareLists(told.model, world, people);
      checkStates(await world.states());
      await checkLogs(world);
    }),
    runs(24),
    8,
  );
}, 600_000);

it("an approval has one decision and one start, whoever does what at once", async () => {
  await using world = await openWorld(20);
  await holdForEnough(
    fc.asyncProperty(moments, async (told) => {
      await world.reset();
      await live(told, world);
      await checkLogs(world);
    }),
    runs(30),
    8,
  );
}, 600_000);
