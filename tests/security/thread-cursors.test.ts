import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spokenOf } from "../history/conversation-lines.js";
import { fillThread, userEntry } from "../support/agents/long-thread.js";
import { runSql } from "../support/audit-log.js";
import { freshPostgres, type TestDatabase } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { type Harness, openHarness } from "../support/harness.js";

let database: TestDatabase;
let harness: Harness;
beforeAll(async () => {
  database = await freshPostgres();
  harness = await openHarness({ database, tools: deskTools().tools, reply: inTurns({ text: "Done." }) });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const page = (threadId: string, query: string) => harness.call("requester", `/threads/${threadId}?${query}`);
const cursorOf = async (threadId: string): Promise<string> =>
  (await page(threadId, "limit=1")).body.nextCursor;

describe("the cursor of a thread", () => {
  it("tells nothing about how many messages other tenants wrote", async () => {
    const { store } = harness;
    await fillThread(store, { threadId: "counted", turns: 1 });
    const before = await cursorOf("counted");
    // As many messages as another tenant would write in years, and the last of them.
    await runSql(database, "select setval('countersign.thread_entries_seq_seq', 123456789000)");
    await store.appendEntries("other", "counted", [userEntry(0)]);
    await store.appendEntries("acme", "counted", [userEntry(1)]);
    const after = await cursorOf("counted");
    const [row] = await runSql(
      database,
      "select max(seq)::text as seq from countersign.thread_entries where tenant_id = 'acme'",
    );
    expect(row?.seq).toMatch(/^123456789/);
    expect(after).not.toBe(before);
    expect(after).toHaveLength(before.length);
    for (const encoding of ["utf8", "latin1", "utf16le", "hex"] as const) {
      const text = Buffer.from(after, "base64url").toString(encoding);
      for (const seq of ["123456789", Number(row?.seq).toString(16)]) expect(text).not.toContain(seq);
    }
  });

  it("is the same until the thread changes, so an unchanged page needs no body", async () => {
    await fillThread(harness.store, { threadId: "kept", turns: 2 });
    const read = (known = "") =>
      harness.request("requester", "/threads/kept?limit=1", { headers: { "if-none-match": known } });
    const first = await read();
    expect((await first.json()).nextCursor).toEqual(expect.any(String));
    expect((await read(first.headers.get("etag") ?? "")).status).toBe(304);
  });

  it("leads to every message once while other tenants write into a thread of the same name", async () => {
    const { store } = harness;
    await fillThread(store, { threadId: "shared", turns: 4 });
    const pages: string[][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { body } = await page("shared", `limit=2${cursor ? `&cursor=${cursor}` : ""}`);
      pages.unshift(spokenOf(body.messages));
      cursor = body.nextCursor;
      await store.appendEntries("other", "shared", [userEntry(pages.length, "Not yours")]);
    }
    expect(pages).toHaveLength(6);
    expect(pages.flat()).toEqual(
      [0, 1, 2, 3].flatMap((n) => [
        `user: Question ${n}`,
        "call: refund",
        `result: {"data":{"ok":${n}}}`,
        `agent: Answer ${n}`,
      ]),
    );
  });

  it("is refused for another thread, for another tenant's thread of the same name, and if it was changed", async () => {
    const { store } = harness;
    for (const threadId of ["mine", "also-mine"]) await fillThread(store, { threadId, turns: 2 });
    await store.openThread({ tenantId: "other", id: "mine", ownerId: "requester", runId: null });
    await store.appendEntries("other", "mine", [userEntry(0), userEntry(1)]);
    const cursor = await cursorOf("mine");
    expect((await page("mine", `cursor=${cursor}`)).status).toBe(200);
    const reader = { id: "requester", tenantId: "other", roles: [] };
    const theirs = await harness.countersign.threads.read("mine", reader, { limit: 1 });
    const changed = Buffer.from(cursor, "base64url");
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    const refused = [
      await cursorOf("also-mine"),
      theirs.nextCursor,
      changed.toString("base64url"),
      cursor.slice(0, -4),
      "abc",
      Buffer.from('["2026-01-01T00:00:00.000Z","7"]').toString("base64url"),
    ];
    for (const wrong of refused) {
      expect(await page("mine", `cursor=${wrong}`)).toMatchObject({
        status: 400,
        body: {
          code: "invalid_request",
          errors: [
            {
              field: "cursor",
              message: "is not a cursor of this thread; request the first page without it",
            },
          ],
        },
      });
    }
  });
});
