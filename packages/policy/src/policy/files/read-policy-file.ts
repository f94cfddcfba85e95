import { readFileSync } from "node:fs";
import { type ParsedPolicyFile, type PolicyFileOptions, parsePolicyFile } from "./policy-file.js";
import type { PolicyProblem } from "./policy-problem.js";

/** The text of a file, or why it cannot be read. */
export type ReadText = { ok: true; text: string } | { ok: false; problem: PolicyProblem };

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a text file in UTF-8; never throws. */
export function readText(file: string): ReadText {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const missing = code === "ENOENT";
    const problem = {
      file,
      line: 1,
      column: 1,
      field: "",
      message: missing ? "the file does not exist" : `the file cannot be read (${code})`,
      suggestion: missing ? "create it, or correct the path" : "check that it is a file and readable",
    };
    return { ok: false, problem };
  }
  try {
    return { ok: true, text: utf8.decode(bytes) };
  } catch {
    return { ok: false, problem: notUtf8(file, bytes) };
  }
}

/** Decoding with replacement characters would silently change tool names in rules. */
function notUtf8(file: string, bytes: Buffer): PolicyProblem {
  const before = bytes.toString("utf8").split("\uFFFD", 1)[0] ?? "";
  const lines = before.split("\n");
  return {
    file,
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
    field: "",
    message: "the file is not UTF-8",
    suggestion: "save it as UTF-8",
  };
}

/** Reads and parses one policy file; never throws. */
export function readPolicyFile(options: PolicyFileOptions): ParsedPolicyFile {
  const read = readText(options.file);
  return read.ok ? parsePolicyFile(read.text, options) : { ok: false, problems: [read.problem] };
}
