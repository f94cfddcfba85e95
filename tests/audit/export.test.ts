import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, smallLog, wholeLog } from "../support/audit-log.js";
import { everyDatabase, type TestDatabase } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import type { Store } from "../support/store.js";

const columns = ["position", "tenantId", "approvalId", "type", "actorId", "at", "data", "prevHash", "hash"];

async function textOf(lines: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const line of lines) text += line;
  return text;
}

/** A strict parser of RFC 4180; an empty cell without quotes is `null`. */
function parseCsv(text: string): (string | null)[][] {
  const records: (string | null)[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const [, quoted, plain, end] = cell.exec(text) ?? [];
    if (end === undefined) throw new Error(`not CSV at ${at}: ${text.slice(at, at + 40)}`);
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? (plain === "" ? null : (plain ?? null)));
    if (end === "\r\n") records.push([]);
  }
  records.pop();
  return records;
}

const hostile = [
  '=HYPERLINK("http://evil.example","click")',
  "+1",
  "-2+3",
  "@SUM(A1)",
  "＝1+1",
  "＋1",
  "－1",
  "＠SUM(A1)",
  "\tx",
  "\r\nx",
  "'quoted",
  "''",
  'a,"b"',
  " spaced ",
  "two\r\nlines",
  "\u2028 \u202e",
  "Zoë 😀",
  "half \ud83d",
];

async function hostileLog(store: Store) {
  await smallLog(store, "acme");
  for (const id of hostile) {
    const [approval] = await proposeCall(store, { tenantId: "acme" });
    if (!approval) throw new Error("unreachable");
    const principal = { id, tenantId: "acme", roles: [id] };
    await store.decide({
      approvalId: approval.id,
      principal,
      type: "deny",
      digest: approval.digest,
      reason: null,
    });
  }
  await store.recordNote({
    tenantId: "acme",
    type: "call.refused",
    data: {
      "half \udc00 key": "half \ud800",
      nul: "a\0b",
      nothing: undefined,
      list: [undefined, Number.NaN, -0, 1e21, 0.1, 5e-324],
      __proto__: 1,
      9: "nine",
      10: "ten",
      at: new Date(0),
    },
  });
}

describe.each(everyDatabase)("an export from $name", ({ open }) => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await open();
    store = await openStore(database);
    await hostileLog(store);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it("as JSON lines holds every entry, and the chain can be recomputed from it", async () => {
    const text = await textOf(store.exportAudit("acme", { format: "jsonl" }));
    expect(text.endsWith("\n")).toBe(true);
    const lines = text.slice(0, -1).split("\n");
    const log = await wholeLog(store, "acme");
    const exported = lines.map((line) => JSON.parse(line));
    expect(exported.map((entry) => ({ ...entry, at: new Date(entry.at) }))).toEqual(log);
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, entries: lines.length });
    let prevHash = "0".repeat(64);
    for (const { hash, ...entry } of exported) {
      expect(entry.prevHash).toBe(prevHash);
      expect(createHash("sha256").update(canonical(entry)).digest("hex")).toBe(hash);
      prevHash = hash;
    }
    const note = exported.at(-1).data;
    expect(note).toMatchObject({
      "half \ufffd key": "half \ufffd",
      nul: "a\ufffdb",
      at: "1970-01-01T00:00:00.000Z",
    });
    expect(note).not.toHaveProperty("nothing");
    expect(note.list).toEqual([null, null, 0, 1e21, 0.1, 5e-324]);
  });

  it("as CSV parses back to the same entries, and no cell starts a formula", async () => {
    const [header, ...records] = parseCsv(await textOf(store.exportAudit("acme", { format: "csv" })));
    expect(header).toEqual(columns);
    for (const cell of records.flat()) expect(cell ?? "").not.toMatch(/^[=+\-@＝＋－＠\t\r\n]/);
    const read = records.map((record) => {
      expect(record).toHaveLength(columns.length);
      const entry = Object.fromEntries(
        columns.map((name, index) => [name, record[index]?.replace(/^'/, "") ?? null]),
      );
      return {
        ...entry,
        position: Number(entry.position),
        at: new Date(entry.at ?? ""),
        data: JSON.parse(entry.data ?? ""),
      };
    });
    const log = await wholeLog(store, "acme");
    expect(read).toEqual(log);
    expect(
      log.flatMap(({ actorId }) => (actorId === "requester" || actorId === "ada" ? [] : [actorId])),
    ).toEqual(
      expect.arrayContaining(
        hostile.map((id) => id.replace("\ud83d", (half, at) => (at === 5 ? "\ufffd" : half))),
      ),
    );
  });

  it("of a tenant without a log is empty", async () => {
    expect(await textOf(store.exportAudit("nobody", { format: "jsonl" }))).toBe("");
    expect(await textOf(store.exportAudit("nobody", { format: "csv" }))).toBe(`${columns.join(",")}\r\n`);
  });
});

function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`;
}
