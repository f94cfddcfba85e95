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

it("an approval behaves as the model predicts, for any order of acts by anyone", async () => {
  await using world = await openWorld(5);
  await holdForEnough(
    fc.asyncProperty(lives, async ({ first, commands }) => {
      await world.reset();
      const progress = { model: new Model(), done: [] };
      const opening = proposing(first)(progress.model);
      if (opening) await carryOut(opening, progress, world);
      await fc.asyncModelRun(() => ({ model: progress, real: world }), commands);
      await compareLists(progress.model, world, people);
      checkStates(await world.states());
      await checkLogs(world);
    }),
    runs(18),
    8,
  );
}, 600_000);

it("an approval has at most one decision and one start under concurrent acts", async () => {
  await using world = await openWorld(20);
  await holdForEnough(
    fc.asyncProperty(moments, async (plan) => {
      await world.reset();
      await live(plan, world);
      await checkLogs(world);
    }),
    runs(22),
    8,
  );
}, 600_000);
