import { describe, expect, it } from "vitest";
import { inOrder } from "./database.js";

/** What a statement does on its way to the driver: it waits for promises that are resolved already. */
async function send(statement: string, sent: string[], hops: number): Promise<string> {
  for (let hop = 0; hop < hops; hop++) await undefined;
  sent.push(statement);
  return `answer to ${statement}`;
}

describe("inOrder", () => {
  it("sends a statement once all before it are with the driver, however many promises they wait for", async () => {
    const sent: string[] = [];
    const answers = await inOrder(
      () => send("lock", sent, 200),
      () => send("read", sent, 20),
      () => send("write", sent, 0),
    );
    expect(sent).toEqual(["lock", "read", "write"]);
    expect(answers).toEqual(["answer to lock", "answer to read", "answer to write"]);
  });

  it("sends all in one turn of the event loop, so that the driver writes them together", async () => {
    const sent: string[] = [];
    const nextTurn = new Promise<readonly string[]>((resolve) => setImmediate(() => resolve([...sent])));
    // A reaction to an answer of the database, as in a transaction.
    await undefined;
    const all = inOrder(
      () => send("lock", sent, 50),
      () => send("read", sent, 50),
    );
    expect(await nextTurn).toEqual(["lock", "read"]);
    await all;
  });

  it("holds for transactions that are under way at once, also where one begins in a tick of its own", async () => {
    const sent: string[] = [];
    const transaction = (name: string) =>
      inOrder(
        () => send(`${name} lock`, sent, 50),
        () => send(`${name} read`, sent, 0),
      );
    const inTick = new Promise((resolve) => process.nextTick(() => resolve(transaction("second"))));
    await Promise.all([transaction("first"), inTick, transaction("third")]);
    for (const name of ["first", "second", "third"]) {
      expect(sent.filter((statement) => statement.startsWith(name))).toEqual([
        `${name} lock`,
        `${name} read`,
      ]);
    }
  });

  it("sends the rest although a statement fails, and throws the first failure", async () => {
    const sent: string[] = [];
    const failing = inOrder(
      () => Promise.reject(new Error("no lock")),
      () => send("read", sent, 0),
    );
    await expect(failing).rejects.toThrow("no lock");
    expect(sent).toEqual(["read"]);
  });
});
