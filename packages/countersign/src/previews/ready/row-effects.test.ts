import fc from "fast-check";
import { expect, it } from "vitest";
import { rowEffects } from "./row-effects.js";

const order = (id: number, status: string, total = 80) => ({ id, status, total });

it("rowEffects shows rows that are new, gone and different, with the columns that differ", () => {
  const before = [order(1, "open"), order(2, "open"), order(3, "open")];
  const after = [order(1, "open"), order(2, "paid"), order(4, "new")];
  expect(rowEffects("order", before, after, { key: "id" }).effects).toEqual([
    { target: "order 2", before: { status: "open" }, after: { status: "paid" } },
    { target: "order 3", before: order(3, "open") },
    { target: "order 4", after: order(4, "new") },
  ]);
});

it("rowEffects counts the rows beyond max, and its state covers them", () => {
  const before = Array.from({ length: 500 }, (_, at) => order(at + 1, "open"));
  const after = before.map((row) => ({ ...row, status: "cancelled" }));
  const { effects, state } = rowEffects("order", before, after, { key: "id" });
  expect(effects).toHaveLength(21);
  expect(effects[19]).toMatchObject({ target: "order 20" });
  expect(effects[20]).toEqual({ target: "order: and 480 more", count: 480 });
  const changed = after.map((row) => (row.id === 500 ? { ...row, total: 1 } : row));
  const other = rowEffects("order", before, changed, { key: "id" });
  expect(other.effects).toEqual(effects);
  expect(other.state).not.toBe(state);
});

it("rowEffects lists a single row beyond max instead of counting it", () => {
  const before = Array.from({ length: 21 }, (_, at) => order(at, "open"));
  expect(rowEffects("order", before, [], { key: "id" }).effects.at(-1)).toMatchObject({ target: "order 20" });
});

it("rowEffects finds the same state again if generated columns differ", () => {
  const rehearsed = (id: number, at: string) =>
    rowEffects(
      "refund",
      [{ id: 1, amount: 5, at: "8:00" }],
      [
        { id: 1, amount: 6, at },
        { id, amount: 7, at },
        { id: id + 1, amount: 3, at },
      ],
      { key: "id", generated: ["id", "at"] },
    );
  const first = rehearsed(2, "9:00");
  expect(first.effects).toEqual(
    expect.arrayContaining([
      { target: "refund 1", before: { amount: 5 }, after: { amount: 6 } },
      { target: "new refund", after: { amount: 7 } },
    ]),
  );
  expect(rehearsed(30, "10:00")).toEqual(first);
});

it("rowEffects has no effect for rows whose generated columns alone differ", () => {
  const { effects } = rowEffects("order", [{ id: 1, at: 1 }], [{ id: 1, at: 2 }], {
    key: "id",
    generated: ["at"],
  });
  expect(effects).toEqual([]);
});

it("rowEffects makes JSON of dates, big integers and bytes", () => {
  const row = (at: Date, n: bigint, bytes: Uint8Array) => ({ id: 10n, at, n, bytes });
  const before = [row(new Date(0), 1n, Buffer.from([1, 2]))];
  const after = [row(new Date(1), 2n, Buffer.from([1, 3]))];
  expect(rowEffects("row", before, after, { key: "id" }).effects).toEqual([
    {
      target: "row 10",
      before: { at: "1970-01-01T00:00:00.000Z", n: "1", bytes: "\\x0102" },
      after: { at: "1970-01-01T00:00:00.001Z", n: "2", bytes: "\\x0103" },
    },
  ]);
});

it("rowEffects cuts long values, and its state covers them", () => {
  const long = (end: string) =>
    rowEffects(
      "mail",
      [],
      [{ id: "x".repeat(300), text: "y".repeat(5000) + end, json: Array(500).fill(1) }],
      { key: "id" },
    );
  const [effect] = long("1").effects;
  expect(effect?.target).toHaveLength(200);
  expect(effect?.after).toMatchObject({ text: `${"y".repeat(299)}…`, json: `[${"1,".repeat(149)}…` });
  expect(long("1").state).not.toBe(long("2").state);
});

it("rowEffects refuses keys that do not tell rows apart", () => {
  expect(() => rowEffects("order", [order(1, "a"), order(1, "b")], [], { key: "id" })).toThrow(
    'key: two rows have the same "id"',
  );
  expect(() => rowEffects("order", [{ id: null }], [], { key: "id" })).toThrow(
    'key: a row has no column "id"',
  );
  expect(() => rowEffects("order", [], [], { key: "id" as never, max: 100 })).toThrow(/^max: /);
});

it("rowEffects gives the same result in whatever order the rows come", () => {
  const rows = fc.uniqueArray(fc.record({ id: fc.integer(), status: fc.string({ unit: "grapheme" }) }), {
    selector: ({ id }) => id,
    maxLength: 40,
  });
  fc.assert(
    fc.property(rows, rows, fc.integer({ min: 1, max: 30 }), (before, after, max) => {
      const options = { key: "id", max } as const;
      const result = rowEffects("order", before, after, options);
      expect(rowEffects("order", before.toReversed(), after.toReversed(), options)).toEqual(result);
      const listed = result.effects.filter(({ count }) => count === undefined).length;
      const counted = result.effects.reduce((sum, { count = 0 }) => sum + count, 0);
      const old = new Map(before.map(({ id, status }) => [id, status]));
      const now = new Map(after.map(({ id, status }) => [id, status]));
      const different = [...new Set([...old.keys(), ...now.keys()])].filter(
        (id) => old.get(id) !== now.get(id),
      );
      expect(listed + counted).toBe(different.length);
    }),
  );
});
