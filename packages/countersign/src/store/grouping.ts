import { sqlStateOf } from "./connection/sql-states.js";

/** Sends some items of a line with one statement, and returns a result for each. */
type Send<Line, Item, Result> = (
  line: Line,
  items: readonly Item[],
  how: "in line" | "alone",
) => Promise<readonly Result[]>;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Maximum number of items of one statement. */
const maxItems = 50;

/** The state of Postgres when a lock was waited for in vain. */
const lockNotAvailable = "55P03";

/**
 * Sends items to the database: what comes while a statement of the same line is on its way waits for it, and all of that
 * goes with the next one. So a lone item never waits, and many at once cost little more than one. Nobody is answered before
 * the statement is committed.
 *
 * If the database refuses a statement, nothing of it was written, and each of its items goes alone, so that none fails for
 * another. So does one that would have had to wait for a lock, which would hold up its line.
 */
export function grouping<Line, Item, Result>(
  send: Send<Line, Item, Result>,
): (line: Line, item: Item) => Promise<Result> {
  const lines = new Map<string, Waiting<Item, Result>[]>();
  const run = async (line: Line, key: string, group: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      answer(group, await send(line, items(group), "in line"));
    } catch (error) {
      if (isRefusedForOne(error, group.length)) for (const one of group) void runAlone(line, one);
      else for (const { reject } of group) reject(error);
    }
    const next = lines.get(key)?.splice(0, maxItems) ?? [];
    if (next.length === 0) lines.delete(key);
    else void run(line, key, next);
  };
  const runAlone = async (line: Line, one: Waiting<Item, Result>): Promise<void> => {
    try {
      answer([one], await send(line, items([one]), "alone"));
    } catch (error) {
      one.reject(error);
    }
  };
  return (line, item) =>
    new Promise((resolve, reject) => {
      const one = { item, resolve, reject };
      const key = JSON.stringify(line);
      const waiting = lines.get(key);
      if (waiting) waiting.push(one);
      else {
        lines.set(key, []);
        void run(line, key, [one]);
      }
    });
}

const items = <Item>(group: readonly { item: Item }[]) => group.map(({ item }) => item);

function answer<Result>(group: readonly Waiting<unknown, Result>[], results: readonly Result[]): void {
  if (results.length !== group.length) throw new Error(`${results.length} results for ${group.length} items`);
  results.forEach((result, index) => {
    group[index]?.resolve(result);
  });
}

/**
 * Whether an item that goes alone may fare better. A state has five characters; a driver's own codes are longer, and leave
 * open whether anything was written.
 */
function isRefusedForOne(error: unknown, count: number): boolean {
  const state = sqlStateOf(error);
  return state?.length === 5 && (count > 1 || state === lockNotAvailable);
}
