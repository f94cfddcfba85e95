import { sqlStateOf } from "./sql-states.js";

export interface GroupingOptions<Line, Item, Result> {
  /** Sends some items of a line with one statement, and returns a result for each. */
  send(line: Line, items: readonly Item[], how: "in line" | "alone"): Promise<readonly Result[]>;
  /** True if nothing was written of an item because it would have had to wait: it goes alone, and waits. @default never */
  mustWait?(result: Result): boolean;
  /** The size of an item, in characters. @default nothing */
  sizeOf?(item: Item): number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Maximum number of items of one statement, and their maximum size in characters. */
const [maxItems, maxSize] = [50, 4_000_000];

/** Milliseconds after which the next statement goes although the one before it is not answered: its connection may be dead. */
const patienceMs = 1_000;

/**
 * Sends items to the database: what comes while a statement of the same line is on its way waits for it, and all of that
 * goes with the next one. So a lone item never waits, and many at once cost little more than one. Nobody is answered before
 * the statement is committed.
 *
 * If the database refuses a statement, each of its items goes alone, so that none fails for another.
 */
export function grouping<Line, Item, Result>(
  options: GroupingOptions<Line, Item, Result>,
): (line: Line, item: Item) => Promise<Result> {
  const { send, mustWait = () => false, sizeOf = () => 0 } = options;
  const lines = new Map<string, Waiting<Item, Result>[]>();
  const alone = (line: Line, one: Waiting<Item, Result>) =>
    send(line, [one.item], "alone").then(([result]) => one.resolve(result as Result), one.reject);
  const inLine = async (line: Line, group: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const items = group.map(({ item }) => item);
      const results = await send(line, items, "in line");
      if (results.length !== group.length) throw new Error(`${results.length} answers to ${group.length}`);
      results.forEach((result, index) => {
        const one = group[index];
        if (one) mustWait(result) ? void alone(line, one) : one.resolve(result);
      });
    } catch (error) {
      const isForOne = group.length > 1 && isRefusal(error);
      for (const one of group) isForOne ? void alone(line, one) : one.reject(error);
    }
  };
  const run = async (line: Line, key: string, group: readonly Waiting<Item, Result>[]): Promise<void> => {
    await orPatience(inLine(line, group));
    const waiting = lines.get(key) ?? [];
    if (waiting.length === 0) lines.delete(key);
    else void run(line, key, waiting.splice(0, fitting(waiting.map(({ item }) => sizeOf(item)))));
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

/** How many of these sizes fit into one statement: at least one. */
function fitting(sizes: readonly number[]): number {
  let sum = 0;
  const tooMany = sizes.findIndex((size, index) => {
    sum += size;
    return index === maxItems || (index > 0 && sum > maxSize);
  });
  return tooMany < 0 ? sizes.length : tooMany;
}

async function orPatience(sent: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([sent, patience]);
  clearTimeout(timer);
}

/**
 * Whether the database refused a statement for what it says: then it has written nothing. Not for a lock that was waited for
 * in vain, nor for a connection that is closed: others would fare no better.
 */
function isRefusal(error: unknown): boolean {
  return /^(?!08|53|55P03|57P)(\d\w|P0|XX)\w{3}$/.test(sqlStateOf(error) ?? "");
}
