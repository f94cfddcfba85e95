import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { unifiedDiff } from "../unified-diff.js";
import { type NewFile, newFiles } from "./new-files.js";
import { nextSteps } from "./next-steps.js";
import { type Choices, readProject } from "./project.js";

export interface InitOptions extends Choices {
  cwd: string;
  yes?: boolean;
}

/** `init`: shows the files that a project lacks, and writes them once confirmed. */
export async function init({ cwd, yes = false, ...choices }: InitOptions, io: CliIo): Promise<ExitCode> {
  const project = readProject(cwd, choices);
  const files = newFiles(project);
  const exists = ({ path }: NewFile) => existsSync(join(cwd, path));
  for (const { path } of files.filter(exists)) io.out(`${path} already exists; not changed\n`);
  const added = files.filter((file) => !exists(file));
  for (const { path, text } of added) io.out(unifiedDiff({ from: "/dev/null", to: path }, "", text));
  if (added.length > 0) {
    if (!yes && !io.ask)
      throw new UsageError("there is no terminal to confirm on; add --yes to write these files");
    const answer = yes ? "y" : await io.ask?.(`Write ${added.map(({ path }) => path).join(", ")}? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) {
      io.err("No files were written.\n");
      return exitCodes.failed;
    }
    for (const { path, text } of added) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      // Fails if the file has been created in the meantime.
      writeFileSync(join(cwd, path), text, { flag: "wx" });
    }
  }
  io.out(nextSteps(project));
  return exitCodes.ok;
}
