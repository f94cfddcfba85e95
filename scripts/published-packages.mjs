import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/**
 * The packages that users install, each after those that it needs.
 *
 * @type {{ name: string, folder: string, manifest: any }[]} `folder` is absolute; `manifest` is its `package.json`.
 */
export const publishedPackages = inOrderOfNeed(
  readdirSync(packages)
    .filter((folder) => existsSync(`${packages}${folder}/package.json`))
    .map((folder) => ({ folder: `${packages}${folder}`, manifest: manifestOf(`${packages}${folder}`) }))
    .filter(({ manifest }) => !manifest.private)
    .map(({ folder, manifest }) => ({ name: manifest.name, folder, manifest })),
);

function manifestOf(folder) {
  return JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
}

function inOrderOfNeed(found) {
  const ordered = new Set();
  const add = (each) => {
    const needed = { ...each.manifest.dependencies, ...each.manifest.peerDependencies };
    for (const other of found) if (other.name in needed) add(other);
    ordered.add(each);
  };
  found.forEach(add);
  return [...ordered];
}
