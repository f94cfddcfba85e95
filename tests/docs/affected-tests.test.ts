import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { affectedTests, changedFiles, readRepository } from "../../scripts/affected-tests.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A small repository: its packages with those that depend on them, and its files of code with their texts. */
const packages = [
  { name: "@x/rules", folder: "packages/rules", dependents: ["core", "@x/mail", "@x/page"] },
  { name: "core", folder: "packages/core", dependents: ["@x/mail", "@x/page", "@x/desk"] },
  { name: "@x/mail", folder: "packages/mail", dependents: ["@x/desk"] },
  { name: "@x/page", folder: "packages/page", dependents: ["@x/desk"] },
  { name: "@x/desk", folder: "apps/desk", dependents: [] },
];
const code = {
  "packages/rules/src/rule.test.ts": 'import { rule } from "./rule.js";',
  "packages/core/src/core.test.ts": 'new URL("../../../tests/proposals/fixtures", import.meta.url);',
  "packages/mail/src/mail.test.ts": 'import { mail } from "./mail.js";',
  "apps/desk/src/desk.test.ts": 'import { desk } from "./desk.js";',
  "tests/rules/rule.test.ts": 'export { rule } from "@x/rules/internal";',
  "tests/mail/sent.test.ts": 'import { mail } from "@x/mail";',
  "tests/mail/later.test.ts": 'const mail = () => import("../support/world.js");',
  "tests/limits/counts.test.ts": 'import { core } from "core";',
  "tests/page/pressed.test.ts": '/** @type {import("../support/site.mjs").Site} */',
  "tests/desk/undo.test.ts": "new URL(`../support/programs/${" + "name}`, import.meta.url);",
  "tests/desk/policy.test.ts": 'readFileSync(new URL("../../apps/desk/policy.yaml", import.meta.url));',
  "tests/docs/links.test.ts": 'const pages = ["docs"];',
  "tests/math/sum.test.ts": "expect(1 + 1).toBe(2);",
  "tests/support/world.ts": 'import { mail } from "@x/mail/smtp";',
  "tests/support/site.d.mts": 'export type { Site } from "./pages/site.js";',
  "tests/support/pages/site.ts": 'export type { Site } from "@x/page/server";',
  "tests/support/programs/start.mjs": 'await import("../desk.js");',
  "tests/support/desk.tsx": 'export * from "@x/desk";',
};
const tests = Object.keys(code).filter((file) => file.endsWith(".test.ts"));
const small = { packages, code: new Map(Object.entries(code)), tests };
const docs = "tests/docs/links.test.ts";
const ofDesk = ["apps/desk/src/desk.test.ts", "tests/desk/undo.test.ts", "tests/desk/policy.test.ts", docs];
const ofMail = ["packages/mail/src/mail.test.ts", "tests/mail/sent.test.ts", "tests/mail/later.test.ts"];
const ofPage = "tests/page/pressed.test.ts";
const ofCore = [
  "packages/core/src/core.test.ts",
  "tests/limits/counts.test.ts",
  ...ofMail,
  ofPage,
  ...ofDesk,
];
const ofRules = ["packages/rules/src/rule.test.ts", "tests/rules/rule.test.ts", ...ofCore];

describe("the tests that a change affects", () => {
  it.each<[changed: string, affected: string[]]>([
    ["packages/rules/src/rule.ts", ofRules],
    ["packages/core/package.json", ofCore],
    ["drizzle/core/0007_late.sql", ofCore],
    ["packages/mail/src/smtp/gone.ts", [...ofMail, ...ofDesk]],
    ["packages/page/src/styles/index.css", [ofPage, ...ofDesk]],
    ["apps/desk/policy.yaml", ofDesk],
    ["packages/mail/src/mail.test.ts", ["packages/mail/src/mail.test.ts"]],
    ["packages/mail/README.md", [docs]],
    ["README.md", [docs]],
    ["docs/images/inbox.png", [docs]],
    ["tests/math/sum.test.ts", ["tests/math/sum.test.ts"]],
    ["tests/support/pages/site.ts", [ofPage]],
    ["tests/support/desk.tsx", ["tests/desk/undo.test.ts"]],
    ["tests/support/programs/new.mjs", ["tests/desk/undo.test.ts"]],
    ["tests/proposals/fixtures/rules.json", ["packages/core/src/core.test.ts"]],
    ["tests/math/deleted.test.ts", []],
    [".github/workflows/ci.yml", []],
    ["package-lock.json", tests],
    ["scripts/new.mjs", tests],
    ["new.config.ts", tests],
    ["tests/package.json", tests],
  ])("%s", (changed, affected) => {
    expect(affectedTests([changed], small).tests.sort()).toEqual([...affected].sort());
  });

  it("adds up, and names the packages", () => {
    const changed = ["packages/mail/src/mail.ts", "tests/math/sum.test.ts"];
    const found = affectedTests(changed, small);
    expect(found.packages).toEqual(["@x/mail", "@x/desk"]);
    expect(found.tests.sort()).toEqual([...ofMail, ...ofDesk, "tests/math/sum.test.ts"].sort());
    expect(affectedTests([], small)).toEqual({ tests: [], packages: [] });
  });
});

describe("in this repository", () => {
  const here = readRepository(root, ["unit", "core", "pages", "integration", "integration-alone", "browser"]);
  const inFolder = (folder: string) => here.tests.filter((test) => test.startsWith(`${folder}/`));
  const affectedBy = (changed: string) => affectedTests([changed], here).tests;

  it("a change of the channels runs what uses them or the demo", () => {
    const affected = affectedBy("packages/channels/src/slack.ts");
    const users = ["packages/channels", "apps/demo", "tests/channels/slack", "tests/demo"];
    expect(affected).toEqual(expect.arrayContaining(users.flatMap(inFolder)));
    expect(affected).not.toContain("tests/policy/safety-checks.test.ts");
    expect(affected).not.toEqual(expect.arrayContaining(inFolder("packages/policy")));
  });

  it("a change of the inbox runs the tests in Chromium, and none of limits", () => {
    const affected = affectedBy("packages/inbox/src/index.ts");
    expect(affected).toEqual(expect.arrayContaining(inFolder("tests/browser")));
    expect(affected.filter((test) => test.startsWith("tests/limits/"))).toEqual([]);
  });

  it("a change of the policy runs all that imports anything of ours but the local engine", () => {
    const affected = affectedBy("packages/policy/src/index.ts");
    const ours = /from "(countersign|@countersign\/(?!local-engine))/;
    const importing = here.tests.filter((test) => ours.test(here.code.get(test) ?? ""));
    expect(importing.length).toBeGreaterThan(100);
    expect(importing.filter((test) => !affected.includes(test))).toEqual([]);
    expect(affected).not.toContain("tests/support/properties/hold-for-enough.test.ts");
  });

  it("a change of one test runs it, and those that read all tests", () => {
    const affected = affectedBy("tests/limits/racing-calls.test.ts");
    expect(affected).toContain("tests/limits/racing-calls.test.ts");
    expect(affected.filter((test) => !test.startsWith("tests/docs/"))).toHaveLength(1);
  });

  it("what every run loads runs everything", () => {
    const config = readFileSync(join(root, "vitest.config.ts"), "utf8");
    const loaded = config.match(/tests\/support\/[\w/-]+\.[jt]s/g) ?? [];
    expect(loaded.length).toBeGreaterThan(3);
    for (const file of loaded) expect(affectedBy(file), file).toEqual(here.tests);
  });

  it("the script lists them", () => {
    const list = ["scripts/test-changed.mjs", "HEAD", "--list"];
    const [summary, ...files] = execFileSync(process.execPath, list, { cwd: root, encoding: "utf8" }).split(
      "\n",
    );
    const [, count, all] = /^\d+ changed files affect (\d+) of (\d+) test files/.exec(summary ?? "") ?? [];
    expect([Number(count), Number(all)]).toEqual([files.length - 1, here.tests.length]);
  });
});

it("changed files are those of the branch, and what is not committed yet", () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-changed-"));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "pipe" });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const commit = () => {
    git("add", "--all");
    git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--message=change", "--no-gpg-sign");
  };
  try {
    git("init", "--initial-branch=main");
    mkdirSync(join(folder, "moved"));
    for (const name of ["same", "edited", "deleted", "of main", "moved/here"]) write(name, name);
    commit();
    git("switch", "--create=branch");
    git("mv", "moved/here", "there");
    write("committed ü", "new");
    commit();
    git("switch", "main");
    write("of main", "later");
    commit();
    git("switch", "branch");
    write("edited", "later");
    write("untracked", "new");
    rmSync(join(folder, "deleted"));
    const expected = ["committed ü", "deleted", "edited", "moved/here", "there", "untracked"];
    expect(changedFiles(folder, "main").sort()).toEqual(expected);
    expect(() => changedFiles(folder, "elsewhere")).toThrow("No commit that elsewhere and this branch share");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
