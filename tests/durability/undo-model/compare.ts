import { expect } from "vitest";
import type { Model } from "./model.js";
import type { Row, UndoRow, World } from "./world.js";

/** Compares the calls and their present undos with the model, and checks what holds for any order of acts. */
export async function compare(model: Model, world: World): Promise<void> {
  const [rows, undos, spent, counted] = await Promise.all([
    world.read(),
    world.undos(),
    world.spent(),
    world.counted(),
  ]);
  const found = rows.map(({ id, status, undone, entries, undo, asked, resolution, votes }) => ({
    ...{ id, status, undone, entries, undo, asked, resolution },
    votes: model.calls.get(id)?.way === "two" ? votes : [],
    effects: world.effects.filter((each) => each === id).length,
  }));
  const expected = [...model.calls.values()].map(({ id, status, way, undo, isUndone, effects }) => ({
    ...{ id, status, undone: isUndone, entries: isUndone ? 1 : 0 },
    ...{ undo: undo?.status ?? null, asked: undo?.askedBy ?? null, resolution: undo?.resolution ?? null },
    votes: way === "two" ? [...(undo?.votes ?? [])].sort() : [],
    effects,
  }));
  expect(found).toEqual(expected);
  // Undone calls still count, in the budget and in limits over time.
  expect({ spent, counted }).toEqual({ spent: model.spent, counted: model.calls.size });
  judge(rows, undos, world.effects);
}

/** Checks the tables and the effects alone. */
function judge(rows: readonly Row[], undos: readonly UndoRow[], allEffects: readonly string[]): void {
  for (const { id, status, undone } of rows) {
    const own = undos.filter(({ call }) => call === id);
    if (status !== "executed") expect(own, `undos of ${id}, which is ${status}`).toEqual([]);
    const done = own.filter(({ status, resolution }) => status === "executed" || resolution === "done");
    expect(done.length, `ends of the undo of ${id}`).toBe(undone ? 1 : 0);
    const failed = own.filter(({ resolution }) => resolution === "failed");
    const effects = allEffects.filter((each) => each === id).length;
    expect(effects, `effects of the undo of ${id}`).toBeLessThanOrEqual(1 + failed.length);
    const open = own.filter(
      ({ status, resolution }) =>
        !["denied", "expired", "withdrawn", "failed", "executed"].includes(status) && resolution === null,
    );
    expect(open.length, `undos of ${id} at once`).toBeLessThanOrEqual(undone ? 0 : 1);
  }
  for (const { id, within, after_ms } of undos) {
    if (within !== null) expect(after_ms, `the time of ${id}`).toBeLessThan(within);
  }
}
