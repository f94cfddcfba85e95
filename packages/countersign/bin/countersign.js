#!/usr/bin/env node
// npm links this file when it installs. The command is in a package of its own, which an app that runs need not have: it is
// looked for beside this package and, since some package managers keep packages apart, in the project.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const found = [import.meta.url, join(process.cwd(), "package.json")].flatMap((from) => {
  try {
    return [createRequire(from).resolve("@countersign/cli/main")];
  } catch {
    return [];
  }
});

if (found[0]) await import(pathToFileURL(found[0]).href);
else {
  console.error(
    "The command countersign is in a package of its own. Install it: npm install @countersign/cli",
  );
  process.exitCode = 2;
}
