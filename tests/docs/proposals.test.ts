import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { approvalEvents, createCountersign, definePolicy } from "countersign";
import { approvalsApi } from "countersign/hono";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import { afterAll, describe, expect, it } from "vitest";
import { countersign } from "../support/command-line.js";
import { declarationsOf, entriesOf, packages } from "../support/docs/declarations.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Inside the tests' own package, so that the types resolve as for any other consumer. */
const work = join(import.meta.dirname, ".proposals");

interface Row {
  proposal: string;
  /** The names in code in the cell "here". */
  names: string[];
  /** The cell "difference". */
  difference: string;
}

/** The rows of all tables of the page. */
const rows: Row[] = readFileSync(join(root, "docs/proposals.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (in the proposal\b|-)/.test(line))
  .map((line) => {
    const [, proposal = "", here = "", difference = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return { proposal, names: [...here.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name), difference };
  });

const names = [...new Set(rows.flatMap((row) => row.names))];
const members = names.filter((name) => /^countersign\.\w/.test(name));

const exported = new Set(
  packages.flatMap(({ folder }) =>
    entriesOf(folder).flatMap(([, file]) => [...declarationsOf(file).exported.keys()]),
  ),
);

/** Routes as the page writes them: `GET /approvals/:id`. */
const { paths } = await openApiDocument();
const routes = new Set(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
  ),
);

async function openApiDocument(): Promise<{ paths: Record<string, object> }> {
  const instance = createCountersign({
    inngest: new Inngest({ id: "proposals", isDev: true }),
    store: postgresStore({ url: "postgres://127.0.0.1/unused" }),
    policy: definePolicy({ tools: {} }),
  });
  const api = approvalsApi(instance, { authenticate: () => null });
  return (await api.request("/openapi.json")).json();
}

/** Fields of rules, in code and in files, and of `createCountersign`. */
const fields = new Set([
  ...readFields("policy/policy.schema.json", /"(\w+)": \{/g),
  ...readFields("countersign/dist/instance/countersign.d.ts", /^ {4}(\w+)\??:/gm),
  ...readFields("countersign/dist/instance/agent-kit-countersign.d.ts", /^ {4}(\w+)\??:/gm),
  ...readFields("policy/dist/policy/rules/terms.d.ts", /^ {4}(\w+)\??:/gm),
]);

function readFields(file: string, field: RegExp): string[] {
  const text = readFileSync(join(root, "packages", file), "utf8");
  return [...text.matchAll(field)].map(([, name = ""]) => name);
}

/** Whether the help that a command prints is its own. */
async function isCommand(name: string): Promise<boolean> {
  const { out, err } = await countersign([...name.split(" ").slice(1), "--help"]);
  return new RegExp(`^Usage: ${name} `, "m").test(out + err);
}

async function exists(name: string): Promise<boolean> {
  if (/^(GET|POST|PUT) /.test(name)) {
    return routes.has(name);
  }
  if (name.startsWith("countersign ")) return isCommand(name);
  if (/^[a-z]+[/.][a-z.]+$/.test(name)) {
    return Object.values(approvalEvents).some((event) => event.name === name);
  }
  return exported.has(name) || fields.has(name);
}

afterAll(() => rmSync(work, { recursive: true, force: true }));

describe("the page From the proposals to Countersign", () => {
  it("gives each name of a proposal a name here, or a reason", () => {
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.filter((row) => row.names.length === 0 && row.difference === "")).toEqual([]);
  });

  it("names only what exists: exports, fields, routes, commands and events", async () => {
    const others = names.filter((name) => !members.includes(name));
    const found = await Promise.all(others.map(async (name) => ({ name, exists: await exists(name) })));
    expect(found.filter((each) => !each.exists)).toEqual([]);
    expect(await exists("approveEverything")).toBe(false);
  });

  it("names only members that an instance has", () => {
    const types = members.map((name, index) => {
      const path = name
        .replace(/\(.*\)$/, "")
        .split(".")
        .slice(1);
      return `export type T${index} = Countersign${path.map((part) => `["${part}"]`).join("")};`;
    });
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work, { recursive: true });
    writeFileSync(
      join(work, "members.ts"),
      `import type { Countersign } from "countersign/agent-kit";\n${types.join("\n")}\n`,
    );
    const base = relative(work, join(root, "tsconfig.base.json"));
    const compilerOptions = { composite: false, declaration: false, noEmit: true };
    writeFileSync(
      join(work, "tsconfig.json"),
      JSON.stringify({ extends: base, compilerOptions, include: ["*.ts"] }),
    );
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", work, "--pretty", "false"], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(members.length).toBeGreaterThan(5);
  });
});
