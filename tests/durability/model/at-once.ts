import fc from "fast-check";
import { expect } from "vitest";
import { type Act, type Choice, claimed } from "./acts/act.js";
import { decisions } from "./acts/decide.js";
import * as engine from "./acts/engine.js";
import * as person from "./acts/people.js";
import { coveredCalls, proposing, request, requestToAllow, requestToVoteOn } from "./acts/propose.js";
import { readTables, type Tables } from "./compare.js";
import { checkTables } from "./invariants.js";
import { Model } from "./model.js";
import { modelOf } from "./model-of-tables.js";
import type { World } from "./world.js";

const often = <Item>(times: number, item: Item): Item[] => Array.from({ length: times }, () => item);

const anything: fc.Arbitrary<Choice> = fc.oneof(
  ...often(10, decisions),
  ...often(4, engine.claims),
  ...often(2, engine.ends),
  ...often(2, person.extensions),
  ...often(2, person.assignments),
  ...often(2, engine.settlements),
  ...often(2, engine.peeks),
  ...often(2, request.map(proposing)),
  ...often(4, coveredCalls),
  person.looks,
  person.takingsBack,
  person.takingsBack,
  person.resolutions,
  person.revocations,
  engine.endedRuns,
  engine.newMessages,
  engine.brokenWaits,
  engine.sweeps,
  engine.relays,
);

/** The acts of one moment, some of them repeated, and the minutes since the moment before. */
const moment = fc.record({
  minutes: fc.constantFrom(0, 0, 0, 4, 10, 25 * 60),
  choices: fc.array(fc.record({ choice: anything, times: fc.constantFrom(1, 1, 2, 3) }), {
    minLength: 2,
    maxLength: 7,
  }),
});

/** Requests with waiting calls, and the moments whose acts happen concurrently. */
export const moments = fc.record({
  requests: fc.array(fc.oneof(request, requestToVoteOn, requestToAllow), { minLength: 1, maxLength: 3 }),
  moments: fc.array(moment, { minLength: 1, maxLength: 4 }),
});

/** Performs the acts of each moment concurrently, and checks the result. */
export async function live(
  plan: typeof moments extends fc.Arbitrary<infer T> ? T : never,
  world: World,
): Promise<void> {
  const model = new Model();
  const starts = new Map<string, number>();
  await world.setTime(0);
  for (const proposed of plan.requests) {
    const act = proposing(proposed)(model);
    await act?.perform(world);
  }
  for (const { id } of modelOf(await readTables(world), model).requests.values())
    await world.store.announce(id);
  for (const { minutes, choices } of plan.moments) {
    model.now += minutes * 60_000 + 500;
    await world.setTime(model.now);
    modelOf(await readTables(world), model);
    const acts = choices.flatMap(({ choice, times }) => {
      const act = choice(model);
      return act ? Array.from({ length: times }, () => act) : [];
    });
    try {
      const outcomes = await Promise.all(
        acts.slice(0, 10).map(async (act) => ({ act, result: await act.perform(world) })),
      );
      const tables = await readTables(world);
      for (const { act, result } of outcomes) {
        if (act.call !== undefined && result === claimed)
          starts.set(act.call, (starts.get(act.call) ?? 0) + 1);
        checkOutcome(act, result, tables);
      }
      for (const [id, count] of starts) expect({ [id]: count }).toEqual({ [id]: 1 });
      checkTables(tables, await world.states(), starts, model.now);
    } catch (error) {
      const names = acts.map(({ name }) => name).join("\n");
      throw new Error(`All of this at once did not end as it must:\n${names}`, { cause: error });
    }
  }
}

/** Checks that no act failed with a database error, and that late decisions name the first decider. */
function checkOutcome(act: Act, result: unknown, { approvals, entries }: Tables): void {
  const outcome =
    typeof result === "object" && result !== null && "outcome" in result ? result.outcome : result;
  expect({ [act.name]: outcome }).not.toEqual({ [act.name]: "database_failed" });
  if (typeof outcome !== "string" || act.call === undefined) return;
  const row = approvals.find(({ id }) => id === act.call);
  const [, winner] = /^already_decided by (.+)$/.exec(outcome) ?? [];
  // The winner may have taken it back since.
  const holders = entries.filter(({ type, approval }) => type === "approval.held" && approval === act.call);
  const deciders = [row?.decided_by ?? "the policy", ...holders.map(({ actor }) => actor)];
  if (winner !== undefined) expect(deciders).toContain(winner);
  const [, resolver] = /^already_resolved by (.+)$/.exec(outcome) ?? [];
  if (resolver !== undefined) expect(row?.resolved_by).toBe(resolver);
  if (outcome === "withdrawn") expect(row?.status).toBe("withdrawn");
  if (outcome === "expired") expect(row?.status).toBe("expired");
  if (outcome === "already_started") expect(row?.started_at).not.toBeNull();
}
