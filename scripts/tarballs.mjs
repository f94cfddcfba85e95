// Packs the packages into tarballs/, and prints the line that installs them in another project.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { publishedPackages } from "./published-packages.mjs";

const folder = fileURLToPath(new URL("../tarballs", import.meta.url));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const files = publishedPackages.map(({ name, folder: from }) => {
  console.error(`Packing ${name}`);
  const printed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: from,
    encoding: "utf8",
  });
  return `${folder}/${JSON.parse(printed)[0].filename}`;
});
console.log(`npm install ${files.join(" ")}`);
