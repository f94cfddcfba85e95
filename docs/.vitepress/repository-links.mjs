// Links between files of the repository, which work in a plain file viewer, become links between pages of the site.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { publishedPackages } from "../../scripts/published-packages.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const manifest = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));

/** Where a page of the repository is on the site; undefined if it is not there. */
export function sitePath(file) {
  if (file === "README.md") return "index.md";
  if (["CONTRIBUTING.md", "CHANGELOG.md"].includes(file)) return file.toLowerCase();
  if (file === "apps/demo/README.md") return "demo.md";
  if (file === "apps/next-example/README.md") return "next-example.md";
  const [, name] = file.match(/^packages\/([^/]+)\/README\.md$/) ?? [];
  if (name) return `packages/${name}.md`;
  return file.startsWith("docs/") ? file.slice("docs/".length).replace(/README\.md$/, "index.md") : undefined;
}

/** Public entry points: `countersign/hono` is described at `reference/countersign/hono/`. */
export const entryPoints = publishedPackages
  .filter(hasReference)
  .flatMap(({ name, folder, manifest: { exports } }) =>
    Object.entries(exports).flatMap(([subpath, { types }]) => {
      if (!types || subpath.startsWith("./internal") || subpath === "./main") return [];
      const declarations = join(folder, types);
      const source = relative(root, declarations).replaceAll("\\", "/").replace("/dist/", "/src/");
      const entryPoint = posix.join(name, subpath);
      return [
        {
          ...{ name: entryPoint, declarations, source: source.replace(/\.d\.ts$/, ".ts") },
          address: `reference/${entryPoint}/`,
        },
      ];
    }),
  );

/** The local engine has a page of its own, and few names. */
function hasReference({ name }) {
  return name !== "@countersign/local-engine";
}

/** `CountersignOptions` is described at `reference/countersign/interfaces/CountersignOptions.md`. */
function referenceOfName(name) {
  const page = readdirSync(join(root, "docs/reference"), { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .find((path) => path.endsWith(`/${name}.md`));
  if (!page)
    throw new Error(`No public entry point exports ${name}, to which a page of the documentation links`);
  return `/reference/${page}`;
}

const { repository } = manifest("packages/countersign");

/**
 * The address on the site of a link in a page: another page, the reference of an entry point or of a name
 * (`src/hono.ts#ApprovalsApiOptions`), or the file in the public repository once `package.json` names one. Undefined if
 * there is nothing to link to.
 */
function addressOf(link, page) {
  if (/^([a-z]+:|#|\/)/.test(link)) return link;
  const [path, hash] = link.split("#");
  const file = relative(root, join(dirname(page), decodeURIComponent(path))).replaceAll("\\", "/");
  if (hash && /\.tsx?$/.test(file)) return referenceOfName(hash);
  const target = existsSync(join(root, file, "README.md")) ? `${file}/README.md` : file;
  const address = target.endsWith(".md")
    ? sitePath(target)
    : entryPoints.find(({ source }) => source === target)?.address;
  if (address !== undefined) return `/${address}${hash === undefined ? "" : `#${hash}`}`;
  if (!existsSync(join(root, file))) return link;
  return repository && new URL(`blob/main/${file}`, `${repository.url.replace(/^git\+|\.git$/g, "")}/`).href;
}

/** A markdown-it plugin. A link without an address on the site becomes plain text. */
export function repositoryLinks(md) {
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    const page = env.realPath ?? env.path;
    if (page.includes("/docs/reference/")) return;
    for (const { children } of tokens) {
      const open = [];
      for (const token of children ?? []) {
        if (token.type === "link_close" && !open.pop()) removeToken(token);
        if (token.type !== "link_open") continue;
        const address = addressOf(token.attrGet("href"), page);
        open.push(address !== undefined);
        if (address === undefined) removeToken(token);
        else token.attrSet("href", address);
      }
    }
  });
}

function removeToken(token) {
  token.type = "text";
  token.content = "";
}
