import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { grouping } from "./grouping.js";

interface Statement {
  items: readonly string[];
  how: "in line" | "alone";
  answer(results: readonly string[]): void;
  fail(error: Error): void;
}

/** Lines whose statements the test answers, and what became of their items. The first letter of an item is its line. */
function open(sizeOf?: (item: string) => number) {
  const statements: Statement[] = [];
  const answers: Record<string, unknown> = {};
  const put = grouping<object, string, string>({
    send: (_, items, how) =>
      new Promise((answer, fail) => {
        statements.push({ items, how, answer, fail });
      }),
    mustWait: (result) => result === "locked",
    ...(sizeOf && { sizeOf }),
  });
  return {
    answers,
    add(...items: string[]) {
      for (const item of items) {
        const answered = (answer: unknown) => {
          answers[item] = answer;
        };
        put({ tenantId: item.charAt(0) }, item).then(answered, answered);
      }
    },
    /** Ends the statement with this number. */
    async end(at: number, how: readonly string[] | Error) {
      const statement = statements[at];
      if (!statement) throw new Error(`no statement ${at} was sent`);
      if (how instanceof Error) statement.fail(how);
      else statement.answer(how);
      await nextTurn();
    },
    /** What was sent, from this statement on. */
    sent: (from = 0) => statements.slice(from).map(({ items, how }) => [how, ...items].join(" ")),
    sizes: () => statements.map(({ items }) => items.length),
  };
}

const failure = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });
const refused = failure("23514");

/** A line that has sent `a1`, and then `a2` and `a3` together. */
async function openGroup() {
  const line = open();
  line.add("a1", "a2", "a3");
  await line.end(0, ["A1"]);
  expect(line.sent()).toEqual(["in line a1", "in line a2 a3"]);
  return line;
}

describe("a line", () => {
  it("sends a lone item at once, and what comes meanwhile together, each answered with its own result", async () => {
    const { add, end, sent, answers } = await openGroup();
    add("a4");
    // Nobody is answered before the statement is.
    expect(answers).toEqual({ a1: "A1" });
    await end(1, ["A2", "A3"]);
    expect(answers).toEqual({ a1: "A1", a2: "A2", a3: "A3" });
    expect(sent(2)).toEqual(["in line a4"]);
  });

  it("does not wait for another, and is the same whenever its parts are", () => {
    const { add, sent } = open();
    add("a1", "b1", "a2");
    expect(sent()).toEqual(["in line a1", "in line b1"]);
  });

  it.each<[string, readonly string[] | Error]>([
    ["was answered", ["A1"]],
    ["was refused", refused],
    ["would have to wait", ["locked"]],
  ])("is not kept once its last item %s", async (_, how) => {
    const { add, end, sent } = open();
    add("a1");
    await end(0, how);
    // In a line that is still there, it would wait for the statement before it.
    add("a2");
    expect(sent().at(-1)).toBe("in line a2");
  });

  it.each<[string, number, (item: string) => number, number[]]>([
    ["50 items", 112, () => 0, [1, 50, 50, 11]],
    ["4,000,000 characters", 7, () => 1_999_999, [1, 2, 2, 2]],
    ["4,000,000 characters, which it may reach", 4, () => 2_000_000, [1, 2, 1]],
    ["one item that is larger", 4, (item) => (item === "a1" ? 4_000_001 : 0), [1, 1, 2]],
    ["one item, if the next one is larger", 4, (item) => (item === "a2" ? 4_000_001 : 0), [1, 1, 1, 1]],
  ])("sends at most %s together", async (_, count, sizeOf, sizes) => {
    const line = open(sizeOf);
    line.add(...Array.from({ length: count }, (_item, n) => `a${n}`));
    for (const [at, size] of sizes.entries()) await line.end(at, Array(size).fill("done"));
    expect(line.sizes()).toEqual(sizes);
    expect(Object.keys(line.answers)).toHaveLength(count);
  });

  it("goes on with who adds the next item as soon as they are answered", async () => {
    const sent: (readonly string[])[] = [];
    const put = grouping<string, string, string>({
      async send(_, items) {
        sent.push(items);
        return items;
      },
    });
    const twice = async (name: string) => put("line", `${await put("line", name)}, again`);
    expect(await Promise.all(["a", "b"].map(twice))).toEqual(["a, again", "b, again"]);
    expect(sent.flat().toSorted()).toEqual(["a", "a, again", "b", "b, again"]);
  });
});

describe("a line without an answer", () => {
  afterEach(() => void vi.useRealTimers());

  it("goes on after a second, and still answers what is answered later", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { add, end, sent, answers } = open();
    add("a1", "a2", "a3");
    await vi.advanceTimersByTimeAsync(999);
    expect(sent(1)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent(1)).toEqual(["in line a2 a3"]);
    add("a4");
    await end(0, ["A1"]);
    expect(answers).toEqual({ a1: "A1" });
    // It is the statement before it that the next one waits for.
    expect(sent(2)).toEqual([]);
    await end(1, ["A2", "A3"]);
    expect(sent(2)).toEqual(["in line a4"]);
    await end(2, ["A4"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a group", () => {
  it.each<[string, Error]>([
    ["is refused", refused],
    ["is refused, which is the cause of an error", new Error("Failed query", { cause: refused })],
    ["meets an error in a function", failure("P0001")],
    ["meets an error of the database itself", failure("XX000")],
    ["takes too long", failure("57014")],
  ])("that %s goes one by one, and its line goes on", async (_, error) => {
    const { add, end, sent, answers } = await openGroup();
    add("a4");
    await end(1, error);
    expect(sent(2)).toEqual(["alone a2", "alone a3", "in line a4"]);
    await end(4, ["A4"]);
    await end(3, ["A3"]);
    expect(answers).toEqual({ a1: "A1", a3: "A3", a4: "A4" });
    // What is also refused when alone is not sent again.
    await end(2, refused);
    expect(answers).toMatchObject({ a2: refused });
    expect(sent(5)).toEqual([]);
  });

  it.each<[string, Error]>([
    ["whose connection is lost", failure("CONNECTION_CLOSED")],
    ["whose connection is lost, by a code as long as a state", failure("EPIPE")],
    ["whose connection fails", failure("08006")],
    ["whose server shuts down", failure("57P01")],
    ["that has waited for a lock in vain", failure("55P03")],
    ["whose deadline is over", failure("database_failed")],
    ["that cannot be sent", new TypeError("a parameter is undefined")],
  ])("%s fails for all, and is not sent again", async (_, error) => {
    const { add, end, sent, answers } = await openGroup();
    add("a4");
    await end(1, error);
    expect(answers).toEqual({ a1: "A1", a2: error, a3: error });
    expect(sent(2)).toEqual(["in line a4"]);
  });

  it.each([[[]], [["A2"]], [["A2", "A3", "A4"]]])(
    "fails for all if it has the answers %j",
    async (results) => {
      const { end, sent, answers } = await openGroup();
      await end(1, results);
      const error = new Error(`${results.length} answers to 2`);
      expect(answers).toEqual({ a1: "A1", a2: error, a3: error });
      expect(sent(2)).toEqual([]);
    },
  );

  it("answers whoever need not wait; whoever must goes alone, and its line goes on", async () => {
    const { add, end, sent, answers } = await openGroup();
    add("a4");
    await end(1, ["locked", "A3"]);
    expect(answers).toEqual({ a1: "A1", a3: "A3" });
    expect(sent(2)).toEqual(["alone a2", "in line a4"]);
    // Alone, it has waited already.
    await end(2, ["locked"]);
    expect(answers).toMatchObject({ a2: "locked" });
    expect(sent(4)).toEqual([]);
  });
});

describe("a lone item", () => {
  it("that is refused fails, and is not sent again", async () => {
    const { add, end, sent, answers } = open();
    add("a1");
    await end(0, refused);
    expect(answers).toEqual({ a1: refused });
    expect(sent(1)).toEqual([]);
  });

  it("that must wait goes alone, and fails alone", async () => {
    const { add, end, sent, answers } = open();
    add("a1", "a2");
    await end(0, ["locked"]);
    expect(sent(1)).toEqual(["alone a1", "in line a2"]);
    const late = failure("55P03");
    await end(1, late);
    expect(answers).toEqual({ a1: late });
  });

  it("fails if sending it throws at once, and so does the next one", async () => {
    const lost = failure("CONNECTION_CLOSED");
    const put = grouping<string, string, string>({
      send() {
        throw lost;
      },
    });
    await expect(put("line", "a")).rejects.toBe(lost);
    await expect(put("line", "b")).rejects.toBe(lost);
  });
});
