import { readFileSync } from "node:fs";
import { type ParsedPolicyFile, type PolicyFileOptions, parsePolicyFile } from "./policy-file.js";
import type { PolicyProblem } from "./policy-problem.js";

/** The text of a file, or why there is none. */
export type ReadText = { ok: true; text: string } | { ok: false; problem: PolicyProblem };

/** Reads a text file; never throws. */
export function readText(file: string): ReadText {
  try {
    return { ok: true, text: readFileSync(file, "utf8") };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const missing = code === "ENOENT";
    const problem = {
      file,
      line: 1,
      column: 1,
      field: "",
      message: missing ? "there is no such file" : `the file cannot be read (${code})`,
      suggestion: missing ? "create it, or correct the path" : "check what it is and who may read it",
    };
    return { ok: false, problem };
  }
}

/** Reads and parses one policy file; never throws. */
export function readPolicyFile(options: PolicyFileOptions): ParsedPolicyFile {
  const read = readText(options.file);
  return read.ok ? parsePolicyFile(read.text, options) : { ok: false, problems: [read.problem] };
}
