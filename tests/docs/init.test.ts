import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

beforeEach(() => {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const init = (argv: string[] = [], answer?: string) =>
  countersign(["init", "--cwd", project, ...argv], {
    answer: answer === undefined ? undefined : () => answer,
  });

const checkPolicy = () => countersign(["policy", "check", join(project, "policy.yaml")]);

const written = () => readdirSync(project, { recursive: true }).sort();

it("init shows the files it would add, and writes none without a confirmation", async () => {
  expect(await init()).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  const declined = await init([], "");
  expect([declined.code, declined.err]).toEqual([1, "No files were written.\n"]);
  expect(declined.out).toContain("+++ policy.yaml");
  expect(declined.out).toContain('+export const inngest = new Inngest({ id: "shop" });');
  expect(written()).toEqual(["package.json", "src"]);
});

it("init writes an instance that compiles and a policy that passes `policy check`", async () => {
  const { code, out } = await init([], "y");
  expect(code).toBe(0);
  expect(out).toContain("npm install countersign @countersign/policy postgres hono zod\n");
  expect(written()).toEqual(["package.json", "policy.yaml", "src", join("src", "countersign.ts")]);
  expect(await checkPolicy()).toMatchObject({ code: 0, err: "" });
  const compilerOptions = { composite: false, declaration: false, noEmit: true };
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["src"] }),
  );
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
  expect([status, stdout]).toEqual([0, ""]);
});

it("init imports the project's Inngest client, and writes rules for the project's tools", async () => {
  mkdirSync(join(project, "src", "lib"));
  writeFileSync(
    join(project, "src", "lib", "client.ts"),
    'import { Inngest } from "inngest";\nexport const shop = new Inngest({ id: "shop" });\n',
  );
  writeFileSync(
    join(project, "src", "tools.ts"),
    ["look_up_order", "pay_out", "delete_order"]
      .map((name) => `export const ${name} = createTool({\n  name: "${name}",\n  handler: () => ({}),\n});\n`)
      .join(""),
  );
  expect((await init(["--yes"])).code).toBe(0);
  const instance = readFileSync(join(project, "src", "countersign.ts"), "utf8");
  expect(instance).toContain('import { shop as inngest } from "./lib/client.js";\n');
  expect(instance).not.toContain("new Inngest(");
  expect(readFileSync(join(project, "policy.yaml"), "utf8")).toContain(
    [
      '  - { tools: ["look_up_order"], verdict: allow }',
      '  - { tools: ["delete_order"], verdict: deny }',
      '  - { tools: ["pay_out"], verdict: ask, approvers: { roles: [approver] } }\n',
    ].join("\n"),
  );
  expect(await checkPolicy()).toMatchObject({ code: 0, err: "" });
});

it("init names a client that it cannot import", async () => {
  writeFileSync(join(project, "src", "app.ts"), 'const inngest = new Inngest({ id: "shop" });\n');
  expect((await init(["--yes"])).code).toBe(0);
  const instance = readFileSync(join(project, "src", "countersign.ts"), "utf8");
  expect(instance).toContain(`// ${join("src", "app.ts")} creates an Inngest client.`);
});

it("init does not change a file that exists", async () => {
  writeFileSync(join(project, "policy.yaml"), "mine");
  const { code, out } = await init(["--yes"]);
  expect([code, out]).toEqual([0, expect.stringContaining("policy.yaml already exists; not changed\n")]);
  expect(readFileSync(join(project, "policy.yaml"), "utf8")).toBe("mine");
  expect(existsSync(join(project, "src/countersign.ts"))).toBe(true);
  const again = await init();
  expect([again.code, again.out]).toEqual([0, expect.not.stringContaining("+++")]);
});

it("init fails with a message in a folder that is not an AgentKit project", async () => {
  writeFileSync(join(project, "package.json"), "{}");
  expect(await init(["--yes"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("@inngest/agent-kit"),
  });
  rmSync(join(project, "package.json"));
  expect(await init(["--yes"])).toMatchObject({ code: 2, err: expect.stringContaining("package.json") });
  expect(written()).toEqual(["src"]);
});
