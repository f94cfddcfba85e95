import { createHash } from "node:crypto";

/** Randomness that a seed repeats. */
export interface Random {
  /** From 0 up to, and never, 1. */
  next(): number;
  /** A whole number; both ends are possible. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
  /** A stream of its own: what it gives does not depend on what was drawn from others. */
  of(...names: (string | number)[]): Random;
}

/** The same seed and names give the same numbers, on every machine. */
export function createRandom(...names: (string | number)[]): Random {
  const next = mulberry32(createHash("sha256").update(JSON.stringify(names)).digest().readUInt32LE(0));
  const random: Random = {
    next,
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error("There is nothing to pick from");
      return item;
    },
    shuffle(items) {
      return items
        .map((item) => ({ item, key: next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item);
    },
    of: (...more) => createRandom(...names, ...more),
  };
  return random;
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
