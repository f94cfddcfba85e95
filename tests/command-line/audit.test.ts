import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, runSql, smallLog, wholeLog } from "../support/audit-log.js";
import { countersign, linesOf } from "../support/command-line.js";
import { freshPostgres } from "../support/databases.js";
import type { Store } from "../support/store.js";

const main = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));

describe("countersign audit", () => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let store: Store;
  let at: string[];

  beforeAll(async () => {
    database = await freshPostgres(3);
    store = await openStore(database);
    await smallLog(store, "acme");
    await smallLog(store, "bolt");
    at = ["--database-url", database.url];
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const audit = (...args: string[]) => countersign(["audit", ...args]);
  const headOf = async (tenantId: string) => {
    const last = (await wholeLog(store, tenantId)).at(-1);
    return `${last?.position}:${last?.hash}`;
  };

  it("verify reports that the log of every tenant, or of one, is in order", async () => {
    const all = await audit("verify", ...at);
    expect(all).toMatchObject({ code: 0, err: "" });
    expect(all.out).toBe(
      `"acme": 6 entries, all in order; head ${await headOf("acme")}\n` +
        `"bolt": 6 entries, all in order; head ${await headOf("bolt")}\n`,
    );
    const one = await audit("verify", ...at, "--tenant", "bolt", "--json");
    expect(one.code).toBe(0);
    expect(JSON.parse(one.out)).toMatchObject({ tenantId: "bolt", ok: true, entries: 6 });
  });

  it("verify compares the log with a head that was noted", async () => {
    const anchored = (head: string) => audit("verify", ...at, "--tenant", "acme", "--anchor", head);
    expect(await anchored(await headOf("acme"))).toMatchObject({ code: 0 });
    const other = await anchored(`6:${"0".repeat(64)}`);
    expect(other.code).toBe(1);
    expect(other.out).toContain("BROKEN, changed. Entry 6");
  });

  it("show prints the entries of one approval, and finds its tenant", async () => {
    const about = (await wholeLog(store, "bolt")).filter(({ approvalId }) => approvalId !== null);
    const id = about[0]?.approvalId ?? "";
    const own = about.filter(({ approvalId }) => approvalId === id);
    const plain = await audit("show", id, ...at);
    expect(plain).toMatchObject({ code: 0, err: "" });
    expect(plain.out.split("\n").map((line) => line.split(" ")[1])).toEqual([
      ...own.map(({ type }) => type),
      undefined,
    ]);
    const json = await audit("show", id, ...at, "--tenant", "bolt", "--json");
    expect(linesOf(json.out).map(({ hash }) => hash)).toEqual(own.map(({ hash }) => hash));
    expect(await audit("show", id, ...at, "--tenant", "acme")).toMatchObject({
      code: 1,
      out: "",
    });
  });

  it.each(["jsonl", "csv"] as const)("export writes %s for every tenant or for one", async (format) => {
    let acme = "";
    for await (const line of store.exportAudit("acme", { format })) acme += line;
    let bolt = "";
    for await (const line of store.exportAudit("bolt", { format })) bolt += line;
    const one = await audit("export", ...at, "--tenant", "acme", "--format", format);
    expect(one).toEqual({ code: 0, out: acme, err: "" });
    const all = await audit("export", ...at, "--format", format);
    const withoutHeader = format === "csv" ? bolt.slice(bolt.indexOf("\r\n") + 2) : bolt;
    expect(all.out).toBe(acme + withoutHeader);
  });

  it.each([
    "verify --tenant typo",
    "verify --tenant typo --json",
    "export --tenant typo",
    "export --tenant typo --format csv",
  ])("exits with 2 and an error when the tenant has no log: %s", async (args) => {
    const { code, out, err } = await audit(...args.split(" "), ...at);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain('--tenant: "typo" has no audit log');
  });

  it("verify prints a note when the database has no log", async () => {
    await using empty = await freshPostgres(1);
    const answer = await audit("verify", "--database-url", empty.url);
    expect(answer).toEqual({ code: 0, out: "", err: "note: this database has no audit log yet\n" });
  });

  it("the process of a command into a closed pipe exits with 141 and prints no error", async () => {
    const child = spawn(process.execPath, [main, "audit", "export", ...at], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    let err = "";
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    const [code] = await once(child, "close");
    expect([code, err]).toEqual([141, ""]);
  });

  it("verify exits with 1 and names the first bad entry of a tenant", async () => {
    await runSql(database, "alter table countersign.audit_entries disable trigger append_only");
    await runSql(
      database,
      "update countersign.audit_entries set actor_id = 'mallory' where tenant_id = 'acme' and position in (5, 6)",
    );
    const { code, out } = await audit("verify", ...at);
    expect(code).toBe(1);
    const [acme, bolt] = out.split("\n");
    expect(acme).toMatch(
      /^"acme": BROKEN, changed\. Entry 5 \(approval\.approved\): its content does not match its hash \(approval apr_/,
    );
    expect(bolt).toContain("all in order");
    const json = await audit("verify", ...at, "--tenant", "acme", "--json");
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, position: 5, problem: "changed" });
  });
});
