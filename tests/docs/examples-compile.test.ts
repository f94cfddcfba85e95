import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Inside the tests' own package, so that the examples resolve the built packages as any other consumer does. */
const work = fileURLToPath(new URL("./.examples", import.meta.url));

interface Example {
  /** The place where the code begins, such as `README.md:42`. */
  at: string;
  code: string;
}

/** Every block that is marked as TypeScript, of a page or of a docstring's `@example`. */
function examplesIn(path: string): Example[] {
  const text = readFileSync(join(root, path), "utf8");
  return [...text.matchAll(/^([ \t]*(?:\* ?)?)```ts\n([\s\S]*?)^\1```$/gm)].map((found) => {
    const [, margin = "", body = ""] = found;
    const lines = body.split("\n").map((line) => withoutMargin(line, margin));
    return { at: `${path}:${text.slice(0, found.index).split("\n").length + 1}`, code: lines.join("\n") };
  });
}

function withoutMargin(line: string, margin: string): string {
  return line.startsWith(margin) ? line.slice(margin.length) : line.replace(/^[ \t]*\*$/, "");
}

afterAll(() => rmSync(work, { recursive: true, force: true }));

test("every example in the documentation and in docstrings compiles", () => {
  const paths = documentedFiles();
  const examples = paths.flatMap(examplesIn);
  expect(examples.map(({ at }) => at).filter((at) => at.startsWith("README.md"))).not.toEqual([]);
  expect(withoutExampleBlock(paths)).toEqual([]);

  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const origin = new Map<string, string>();
  for (const [index, { at, code }] of examples.entries()) {
    const file = `example-${index}.ts`;
    origin.set(file, at);
    // The export makes every example a module, so that two examples may declare the same names.
    writeFileSync(join(work, file), `${code}\nexport {};\n`);
  }
  const base = relative(work, join(root, "tsconfig.base.json"));
  writeFileSync(
    join(work, "tsconfig.json"),
    JSON.stringify({
      extends: base,
      compilerOptions: { composite: false, declaration: false, noEmit: true },
      include: ["*.ts"],
    }),
  );
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, "-p", work, "--pretty", "false"], {
    encoding: "utf8",
  });
  const problems = `${stdout}${stderr}`.replace(
    /\S*(example-\d+\.ts)/g,
    (_path, file) => origin.get(file) ?? file,
  );
  expect(problems).toBe("");
  expect(status).toBe(0);
});

/** The pages, and the sources of the packages, whose docstrings editors show. */
function documentedFiles(): string[] {
  const packages = readdirSync(join(root, "packages"));
  return [
    ...readdirSync(root),
    ...filesIn("docs").filter((path) => !/^docs\/(node_modules|reference|\.vitepress)\//.test(path)),
    ...packages.flatMap((name) => [`packages/${name}/README.md`, ...filesIn(`packages/${name}/src`)]),
  ].filter((path) => /\.(md|ts)$/.test(path) && !path.endsWith(".test.ts") && existsSync(join(root, path)));
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .sort();
}

/** Docstrings whose `@example` is not a code block. No test would compile them. */
function withoutExampleBlock(paths: string[]): string[] {
  return paths.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const loose = [...text.matchAll(/^[ \t]*\* @example\n(?![ \t]*\* ```ts\n)/gm)];
    return loose.map((found) => `${path}:${text.slice(0, found.index).split("\n").length}`);
  });
}
