import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { grouping } from "./grouping.js";

interface Statement {
  items: readonly string[];
  how: "in line" | "alone";
  answer(results: readonly string[]): void;
  fail(error: Error): void;
}

/** A group's sender whose statements are answered by the test, and what was answered to its items. */
function open() {
  const statements: Statement[] = [];
  const answers: Record<string, unknown> = {};
  const put = grouping<object, string, string>(
    (_, items, how) =>
      new Promise((answer, fail) => {
        statements.push({ items, how, answer, fail });
      }),
  );
  const add = (item: string, line: object = {}) => {
    const answered = (answer: unknown) => {
      answers[item] = answer;
    };
    put(line, item).then(answered, answered);
  };
  return {
    ...{ add, answers },
    /** Some items, of which the first is on its way, and the others wait for its statement. */
    addAll: (items: readonly string[]) => {
      for (const item of items) add(item);
    },
    /** The statement with this number. */
    statement(at: number): Statement {
      const statement = statements[at];
      if (!statement) throw new Error(`no statement ${at} was sent`);
      return statement;
    },
    sent: () => statements.map(({ items, how }) => [how, ...items]),
  };
}

const failure = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });
const refused = failure("23514");
const locked = failure("55P03");
const lost = failure("CONNECTION_CLOSED");

/** A line with a group of two on its way. */
async function openGroup() {
  const group = open();
  group.addAll(["first", "a", "b"]);
  group.statement(0).answer(["done"]);
  await nextTurn();
  expect(group.sent()).toEqual([
    ["in line", "first"],
    ["in line", "a", "b"],
  ]);
  return group;
}

describe("a line", () => {
  it("sends a lone item at once", () => {
    const { add, sent } = open();
    add("a");
    expect(sent()).toEqual([["in line", "a"]]);
  });

  it("sends what has come meanwhile together, in its order, and answers each with its own result", async () => {
    const { addAll, sent, statement, answers } = open();
    addAll(["a", "b", "c", "d"]);
    statement(0).answer(["A"]);
    await nextTurn();
    expect(sent()).toEqual([
      ["in line", "a"],
      ["in line", "b", "c", "d"],
    ]);
    // Nobody is answered before the statement is.
    expect(answers).toEqual({ a: "A" });
    statement(1).answer(["B", "C", "D"]);
    await nextTurn();
    expect(answers).toEqual({ a: "A", b: "B", c: "C", d: "D" });
    expect(sent()).toHaveLength(2);
  });

  it("sends no more than 50 together", async () => {
    const { addAll, sent, statement } = open();
    addAll(Array.from({ length: 112 }, (_, n) => `${n}`));
    for (const at of [0, 1, 2, 3]) {
      statement(at).answer([...statement(at).items]);
      await nextTurn();
    }
    const sizes = sent().map(([, ...items]) => items.length);
    expect(sizes).toEqual([1, 50, 50, 11]);
  });

  it("does not wait for another, and is the same whenever its parts are", () => {
    const { add, sent } = open();
    add("of acme", { tenantId: "acme" });
    add("of globex", { tenantId: "globex" });
    add("too", { tenantId: "acme" });
    expect(sent()).toEqual([
      ["in line", "of acme"],
      ["in line", "of globex"],
    ]);
  });

  it.each<[string, (statement: Statement) => void]>([
    ["was answered", ({ answer }) => answer(["A"])],
    ["was refused", ({ fail }) => fail(refused)],
    ["was lost", ({ fail }) => fail(lost)],
    ["would have waited for a lock", ({ fail }) => fail(locked)],
  ])("is not kept once its last item %s", async (_, end) => {
    const { add, sent, statement } = open();
    add("a");
    end(statement(0));
    await nextTurn();
    // In a line that is still there, it would wait for the statement before it.
    add("b");
    expect(sent().at(-1)).toEqual(["in line", "b"]);
  });

  it("goes on with who adds the next item as soon as they are answered", async () => {
    const sent: (readonly string[])[] = [];
    const put = grouping<string, string, string>(async (_, items) => {
      sent.push(items);
      return items;
    });
    const twice = async (name: string) => put("line", `${await put("line", name)}, again`);
    expect(await Promise.all(["a", "b"].map(twice))).toEqual(["a, again", "b, again"]);
    expect(sent.flat().toSorted()).toEqual(["a", "a, again", "b", "b, again"]);
  });
});

describe("a group", () => {
  it.each<[string, Error]>([
    ["is refused", refused],
    ["is refused, which is the cause of an error", new Error("Failed query", { cause: refused })],
    ["would wait for a lock", locked],
  ])("that %s goes one by one, and its line goes on", async (_, error) => {
    const { add, sent, statement, answers } = await openGroup();
    add("next");
    statement(1).fail(error);
    await nextTurn();
    expect(sent().slice(2)).toEqual([
      ["alone", "a"],
      ["alone", "b"],
      ["in line", "next"],
    ]);
    statement(4).answer(["NEXT"]);
    statement(3).answer(["B"]);
    await nextTurn();
    expect(answers).toEqual({ first: "done", next: "NEXT", b: "B" });
    // Also what is refused when alone is then not sent again.
    statement(2).fail(locked);
    await nextTurn();
    expect(answers).toMatchObject({ a: locked });
    expect(sent()).toHaveLength(5);
  });

  it.each<[string, Error]>([
    ["whose connection is lost", lost],
    ["whose deadline is over", failure("database_failed")],
    ["that cannot be sent", new TypeError("a parameter is undefined")],
  ])("%s fails for all, and is not sent again", async (_, error) => {
    const { add, sent, statement, answers } = await openGroup();
    add("next");
    statement(1).fail(error);
    await nextTurn();
    expect(answers).toEqual({ first: "done", a: error, b: error });
    expect(sent().slice(2)).toEqual([["in line", "next"]]);
  });

  it.each([[[]], [["A"]], [["A", "B", "C"]]])("fails for all if it has the results %j", async (results) => {
    const { sent, statement, answers } = await openGroup();
    statement(1).answer(results);
    await nextTurn();
    const error = new Error(`${results.length} results for 2 items`);
    expect(answers).toEqual({ first: "done", a: error, b: error });
    expect(sent()).toHaveLength(2);
  });
});

describe("a lone item", () => {
  it("that is refused fails, and is not sent again", async () => {
    const { add, sent, statement, answers } = open();
    add("a");
    statement(0).fail(refused);
    await nextTurn();
    expect(answers).toEqual({ a: refused });
    expect(sent()).toHaveLength(1);
  });

  it("that would wait for a lock does so outside of its line", async () => {
    const { addAll, sent, statement, answers } = open();
    addAll(["a", "b"]);
    statement(0).fail(locked);
    await nextTurn();
    expect(sent().slice(1)).toEqual([
      ["alone", "a"],
      ["in line", "b"],
    ]);
    statement(1).answer(["A"]);
    await nextTurn();
    expect(answers).toEqual({ a: "A" });
  });

  it("fails if sending it throws at once", async () => {
    const put = grouping<string, string, string>(() => {
      throw lost;
    });
    await expect(put("line", "a")).rejects.toBe(lost);
    await expect(put("line", "b")).rejects.toBe(lost);
  });
});
