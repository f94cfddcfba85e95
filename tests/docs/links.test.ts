import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { headingSlug } from "../../docs/.vitepress/heading-slug.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** The Markdown pages of the repository, without those of installed packages and of the site's build. */
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...["docs", "packages", "apps"].flatMap(pagesIn),
];

function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return /node_modules|\.vitepress|docs\/reference/.test(path) ? [] : pagesIn(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

const withoutCode = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, "");

function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = withoutCode(read(page)).matchAll(/^#{1,6} (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) => {
      const slug = headingSlug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

/** Links, images and the sources of pictures. */
function linksOf(page: string): string[] {
  const text = withoutCode(read(page)).replace(/`[^`\n]*`/g, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/\b(?:src|srcset)="([^"]+)"/g)];
  return links.map(([, link = ""]) => link).filter((link) => !/^[a-z]+:/.test(link));
}

function problemOf(page: string, link: string): string | undefined {
  const [path = "", anchor] = link.split("#");
  const target = path ? relative(root, join(root, dirname(page), decodeURIComponent(path))) : page;
  if (!existsSync(join(root, target))) return `${page}: ${link}: there is no ${target}`;
  const file = statSync(join(root, target)).isDirectory() ? join(target, "README.md") : target;
  if (anchor === undefined || !file.endsWith(".md")) return undefined;
  return anchorsOf(file).has(anchor) ? undefined : `${page}: ${link}: ${file} has no such heading`;
}

it("every link between pages leads to an existing file and heading", () => {
  const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
  expect(links.length).toBeGreaterThan(100);
  expect(links.flatMap(({ page, link }) => problemOf(page, link) ?? [])).toEqual([]);
});

it("every page of docs, except the decisions, is in the navigation of the site", () => {
  const config = read("docs/.vitepress/config.mjs");
  const inDocs = pages.filter((page) => /^docs\/(?!decisions\/)/.test(page));
  const missing = inDocs.filter(
    (page) => !config.includes(`"/${page.slice("docs/".length).replace(/(index)?\.md$/, "")}"`),
  );
  expect(missing).toEqual([]);
});

it("the list of decisions names every decision with its title", () => {
  const list = read("docs/decisions/README.md");
  const decisions = pages.filter((page) => /^docs\/decisions\/\d/.test(page));
  const lines = decisions.map((page) => {
    const [, number, title] = read(page).match(/^# (\d+)\. (.*)$/m) ?? [];
    return `${number}. [${title}](${page.replace("docs/decisions/", "")})`;
  });
  expect(list.split("\n").filter((line) => /^\d/.test(line))).toEqual(lines);
});

/** The repository's paths that a page names: in code spans, and at the start of the lines that draw a tree. */
function pathsIn(page: string): string[] {
  const text = read(page);
  const spans = [...withoutCode(text).matchAll(/`([\w./-]+)`/g)].map(([, span = ""]) => span);
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const trees = blocks.flatMap(([, language, tree = ""]) => (language ? [] : tree.split("\n")));
  const drawn = trees.flatMap((line) => line.split(/ {2,}/)[0]?.split(", ") ?? []).filter(Boolean);
  // Routes, entry points and events look like paths. Tests and builds write the other excluded files.
  const other = /^\/|^countersign\/|^test-results\/|\/dist$|\.generated\.ts$/;
  const paths = spans.filter((span) => /\/|\.(tsx?|mjs|sql|json)$/.test(span) && !other.test(span));
  return [...paths, ...drawn].filter((path) => !path.includes("*"));
}

/** The sources of the plugin and of its policies. */
const sourceFolders = ["packages/countersign/src", "packages/policy/src"];
const sources = sourceFolders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) =>
    path.replaceAll("\\", "/"),
  ),
);

/**
 * Whether a file of the repository or of the plugin's sources has this path, or a path that ends with it, or a first proof
 * has this name.
 */
function exists(path: string): boolean {
  const places = [path, ...sourceFolders.map((folder) => join(folder, path)), `tests/core/${path}.test.ts`];
  if (places.some((place) => existsSync(join(root, place)))) return true;
  return sources.some((file) => file.endsWith(`/${path}`));
}

it.each(["docs/architecture.md", "CONTRIBUTING.md"])("every file that %s names exists", (page) => {
  const paths = pathsIn(page);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});
