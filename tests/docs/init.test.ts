import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { countersign } from "../support/command-line.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Inside the tests' own package, so that the written files resolve the built packages as in any project. */
const project = fileURLToPath(new URL("./.init", import.meta.url));
const manifest = {
  name: "@acme/shop",
  type: "module",
  dependencies: { "@inngest/agent-kit": "^0.13.2", inngest: "^4.24.0" },
  devDependencies: { typescript: "^7.0.0" },
};
const ofNext = { dependencies: { next: "^16.0.0" }, devDependencies: { typescript: "^5.9.0" } };

beforeEach(() => {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(project, "src"), { recursive: true });
  given({ "package.json": JSON.stringify(manifest) });
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const init = (argv: string[] = [], answer?: string) =>
  countersign(["init", "--cwd", project, ...argv], {
    answer: answer === undefined ? undefined : () => answer,
  });

const checkPolicy = () => countersign(["policy", "check", join(project, "policy.yaml")]);

/** Files, as its author wrote them. */
function given(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
}

const written = () =>
  readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1))
    .filter((path) => path !== "package.json")
    .sort();

const textOf = (path: string) => readFileSync(join(project, path), "utf8");

function run(...argv: string[]) {
  // As in a terminal: vitest sets variables of its own.
  const { NODE_ENV: _, VITEST: __, NODE_OPTIONS: ___, DATABASE_URL: ____, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, argv, { cwd: project, env, encoding: "utf8" });
  return { status, stdout };
}

/** What `tsc` says of the project in its strictest mode, with its output in `dist`. */
function compile() {
  const compilerOptions = { composite: false, rootDir: "src", outDir: "dist", lib: ["ES2023"], types: [] };
  const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["src"] };
  given({ "tsconfig.json": JSON.stringify(config) });
  return run(join(root, "node_modules", "typescript", "bin", "tsc"));
}

it("init shows the files it would add, and writes none without a confirmation", async () => {
  expect(await init()).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  const declined = await init([], "");
  expect([declined.code, declined.err]).toEqual([1, "No files were written.\n"]);
  expect(declined.out).toContain("+++ policy.yaml");
  expect(declined.out).toContain('+export const inngest = new Inngest({ id: "shop" });');
  expect(written()).toEqual([]);
});

it("a project of AgentKit without an agent gets one whose test passes, and a closed server", async () => {
  given({ "tsconfig.json": "{}" });
  const { code, out } = await init([], "y");
  expect(code).toBe(0);
  expect(out).toContain(`Next:
  npm install countersign @countersign/policy @countersign/inbox hono zod postgres @hono/node-server
  npm install --save-dev @countersign/cli @countersign/testing @electric-sql/pglite @types/node tsx
  node --import tsx --test src/countersign.test.ts
  npx countersign policy check policy.yaml --tools issue_refund
  npx countersign dev src/server.ts --send`);
  expect(written()).toEqual([
    ...["policy.yaml", "src/countersign.test.ts", "src/countersign.ts", "src/desk.ts", "src/server.ts"],
    "tsconfig.json",
  ]);
  expect(await checkPolicy()).toMatchObject({ code: 0, err: "" });
  expect(textOf("src/server.ts")).toContain("const authenticate = async () => null;\n");
  expect(compile()).toEqual({ status: 0, stdout: "" });
  expect(run("--test", "dist/countersign.test.js")).toEqual({
    status: 0,
    stdout: expect.stringContaining("pass 1"),
  });
});

it("a project of JavaScript with neither AgentKit nor the AI SDK gets a loop whose test passes", async () => {
  given({ "package.json": "{}" });
  expect((await init(["--yes"])).code).toBe(0);
  expect(written()).toEqual([
    ...["policy.yaml", "src/countersign.mjs", "src/countersign.test.mjs", "src/desk.mjs", "src/server.mjs"],
  ]);
  expect(run("--test", "src/countersign.test.mjs")).toEqual({
    status: 0,
    stdout: expect.stringContaining("pass 1"),
  });
});

it("sources in TypeScript that no compiler checks get files in TypeScript, imported as theirs are", async () => {
  given({
    "package.json": JSON.stringify({ type: "module", dependencies: { ai: "^7.0.0" } }),
    "src/main.ts": 'import { client } from "./client.ts";\n',
    "src/client.ts": 'export const client = new Inngest({ id: "desk" });\n',
  });
  expect((await init(["--yes"])).code).toBe(0);
  expect(textOf("src/countersign.ts")).toContain('import { client as inngest } from "./client.ts";\n');
  expect(textOf("src/desk.ts")).toContain("tools: guardTools(tools, gate),");
  expect(textOf("src/countersign.test.ts")).toContain('import { createDesk } from "./desk.ts";\n');
});

it.each(["app", "src/app"])("a Next project gets routes in %s", async (app) => {
  given({ "package.json": JSON.stringify(ofNext), [`${app}/page.tsx`]: "" });
  rmSync(join(project, app.startsWith("src") ? "app" : "src"), { recursive: true, force: true });
  const { out } = await init(["--yes", "--agent-kit"]);
  expect(textOf(`${app}/api/inngest/route.ts`)).toContain(
    'import { countersign, inngest } from "../../../countersign";\n',
  );
  expect(textOf(`${app}/approvals/[[...route]]/route.ts`)).toContain("async () => null;\n");
  expect(written().some((path) => path.endsWith("server.ts"))).toBe(false);
  expect(out).toMatch(/npx vitest run (src\/)?countersign\.test\.ts\n/);
});

it("a Next project keeps its own page of approvals and its own route of functions", async () => {
  given({
    "package.json": JSON.stringify(ofNext),
    "app/approvals/[[...rest]]/page.tsx": "",
    "pages/api/inngest.ts": 'import { serve } from "inngest/next";\n',
  });
  const { out } = await init(["--yes"]);
  expect(written().filter((path) => path.endsWith("route.ts"))).toEqual([]);
  expect(out).toContain("In pages/api/inngest.ts, serve these functions:\n");
});

it("init imports the project's Inngest client, and writes rules for the tools of AgentKit", async () => {
  given({
    "src/lib/client.ts":
      'import { Inngest } from "inngest";\nexport const shop = new Inngest({ id: "shop" });\n',
    "src/tools.ts": ["look_up_order", "pay_out", "delete_order"]
      .map((name) => `export const ${name} = createTool({\n  name: "${name}",\n  handler: () => ({}),\n});\n`)
      .join(""),
  });
  expect((await init(["--yes"])).code).toBe(0);
  const instance = textOf("src/countersign.ts");
  expect(instance).toContain('import { shop as inngest } from "./lib/client.js";\n');
  expect(instance).not.toContain("new Inngest(");
  expect(textOf("policy.yaml")).toContain(
    [
      '  - { tools: ["look_up_order"], verdict: allow }',
      '  - { tools: ["delete_order","pay_out"], verdict: ask, approvers: { roles: [approver] } }\n',
    ].join("\n"),
  );
  expect(await checkPolicy()).toMatchObject({ code: 0, err: "" });
});

it("an agent of the AI SDK keeps its file, and a test of its policy passes", async () => {
  given({
    "package.json": JSON.stringify({ type: "module", dependencies: { ai: "^6.0.0", hono: "^4.0.0" } }),
    "src/agent.mjs": `import { generateText, tool } from "ai";
      const mailTool = tool({ inputSchema });
      export const pay = tool({ inputSchema });
      const tools = { getOrder: tool({ inputSchema }), "refund-order": needsApproval(tool({ inputSchema })), mail: mailTool, pay };
      await generateText({ model, tools });`,
    "src/index.mjs": 'import { serve } from "@hono/node-server";\n',
  });
  const { out } = await init(["--yes"]);
  expect(textOf("policy.yaml")).toContain(
    [
      '  - { tools: ["getOrder"], verdict: allow }',
      '  - { tools: ["mail","pay","refund-order"], verdict: ask, approvers: { roles: [approver] } }\n',
    ].join("\n"),
  );
  expect(existsSync(join(project, "src/desk.js"))).toBe(false);
  expect(existsSync(join(project, "src/server.js"))).toBe(false);
  for (const text of [out, textOf("src/countersign.js")]) {
    expect(text).toContain("Guard your agent where it runs, such as in src/agent.mjs:\n");
    expect(text).toContain("tools: guardTools(tools, gate)");
    expect(text).toContain("In src/index.mjs, serve these functions:\n");
    expect(text).toContain(
      'app.all("/api/inngest", serve({ client: inngest, functions: [...countersign.functions',
    );
  }
  expect(out).toContain("policy check policy.yaml --tools getOrder,mail,pay,refund-order\n");
  expect(run("--test", "src/countersign.test.js")).toEqual({
    status: 0,
    stdout: expect.stringContaining("pass 1"),
  });
});

it("init names a client that it cannot import", async () => {
  given({ "src/app.ts": 'const inngest = new Inngest({ id: "support" });\n' });
  expect((await init(["--yes"])).code).toBe(0);
  const instance = textOf("src/countersign.ts");
  expect(instance).toContain("// src/app.ts creates an Inngest client.");
  expect(instance).toContain('new Inngest({ id: "support" })');
});

it("init does not change a file that exists", async () => {
  given({ "policy.yaml": "mine" });
  const { code, out } = await init(["--yes"]);
  expect([code, out]).toEqual([0, expect.stringContaining("policy.yaml already exists; not changed\n")]);
  expect(textOf("policy.yaml")).toBe("mine");
  expect(existsSync(join(project, "src/countersign.ts"))).toBe(true);
  const again = await init();
  expect([again.code, again.out]).toEqual([0, expect.not.stringContaining("+++")]);
});

it("init fails with a message without a package.json, and for ways that exclude each other", async () => {
  expect(await init(["--yes", "--hono", "--next"])).toMatchObject({ code: 2 });
  expect(await init(["--yes", "--ai-sdk", "--loop"])).toMatchObject({ code: 2 });
  rmSync(join(project, "package.json"));
  expect(await init(["--yes"])).toMatchObject({ code: 2, err: expect.stringContaining("package.json") });
  expect(written()).toEqual([]);
});
