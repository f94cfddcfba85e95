import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";
import type { PolicyProblem } from "./policy-problem.js";

export type FieldPath = readonly PropertyKey[];

/** A parsed file that remembers where each of its fields stands. */
export interface SourceDocument {
  file: string;
  /** Plain JSON. */
  value: unknown;
  has(path: FieldPath): boolean;
  /** A problem at a field, or at the nearest that there is; `where` says whether its name or its value is wrong. */
  problem(
    path: FieldPath,
    message: string,
    suggestion?: string | null,
    where?: "key" | "value",
  ): PolicyProblem;
}

export type ReadDocument = { ok: true; document: SourceDocument } | { ok: false; problems: PolicyProblem[] };

/** Parses JSON or YAML, which is told by the text; a file named `.json` must be JSON to the letter. */
export function readDocument(text: string, file: string): ReadDocument {
  const lines = new LineCounter();
  const parsed = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    // Not "silent", with which a second document in the file would be dropped without a word.
    logLevel: "error",
  });
  const problemAt = (offset: number, path: FieldPath, message: string, suggestion: string | null) => {
    const { line, col } = lines.linePos(offset);
    const field = path.map(String).join(".");
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), field, message, suggestion };
  };
  const problems = [...parsed.errors, ...parsed.warnings].map((error) => {
    const path = pathAt(parsed, error.pos[0]);
    return error.code === "DUPLICATE_KEY"
      ? problemAt(error.pos[0], path, "this key appears twice", "keep one of the two")
      : problemAt(error.pos[0], path, `cannot be parsed: ${error.message.split("\n")[0]}`, null);
  });
  visit(parsed, {
    Pair(_, { key }) {
      if (!isScalar(key) || key.value !== "__proto__") return;
      const offset = key.range?.[0] ?? 0;
      problems.push(problemAt(offset, pathAt(parsed, offset), "this name cannot be a key", "rename it"));
    },
  });
  if (problems.length === 0 && parsed.contents === null) {
    problems.push(problemAt(0, [], "the file is empty", 'begin with "version: 1" and "rules:"'));
  }
  if (problems.length > 0) return { ok: false, problems };

  let value: unknown;
  try {
    value = JSON.parse(JSON.stringify(parsed.toJS()));
    if (/\.json$/i.test(file)) JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? 0);
    const suggestion = value === undefined ? "remove the alias" : "write JSON, or name the file .yaml";
    return { ok: false, problems: [problemAt(offset, [], `cannot be read: ${message}`, suggestion)] };
  }
  return {
    ok: true,
    document: {
      file,
      value,
      has: (path) => locate(parsed, path).whole,
      problem: (path, message, suggestion = null, where = "value") => {
        const found = locate(parsed, path);
        const offset = where === "key" && found.whole ? found.key : found.value;
        return problemAt(offset, path, message, suggestion);
      },
    },
  };
}

/** Where the key and the value at a path begin, or those of the nearest ancestor. */
function locate(document: Document, path: FieldPath): { key: number; value: number; whole: boolean } {
  let node: unknown = document.contents;
  let key = 0;
  let value = startOf(node) ?? 0;
  for (const segment of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isScalar(item.key) && String(item.key.value) === String(segment),
      );
      if (!pair) return { key, value, whole: false };
      key = startOf(pair.key) ?? value;
      node = pair.value;
      value = startOf(node) ?? key;
    } else if (isSeq(node) && node.items[Number(segment)] !== undefined) {
      node = node.items[Number(segment)];
      value = startOf(node) ?? value;
      key = value;
    } else {
      return { key, value, whole: false };
    }
  }
  return { key, value, whole: true };
}

/** The path of the innermost field that covers an offset. */
function pathAt(document: Document, offset: number): PropertyKey[] {
  const path: PropertyKey[] = [];
  let node: unknown = document.contents;
  for (;;) {
    if (isMap(node)) {
      const pair = node.items.find((item) => {
        const from = startOf(item.key);
        return (
          from !== undefined && from <= offset && offset < (endOf(item.value) ?? endOf(item.key) ?? from)
        );
      });
      if (!pair || !isScalar(pair.key)) return path;
      path.push(String(pair.key.value));
      node = pair.value;
    } else if (isSeq(node)) {
      const index = node.items.findIndex(
        (item) => (startOf(item) ?? 0) <= offset && offset < (endOf(item) ?? 0),
      );
      if (index < 0) return path;
      path.push(index);
      node = node.items[index];
    } else {
      return path;
    }
  }
}

function startOf(node: unknown): number | undefined {
  return rangeOf(node)?.[0];
}

function endOf(node: unknown): number | undefined {
  return rangeOf(node)?.[2];
}

function rangeOf(node: unknown): [number, number, number] | undefined {
  return (node as { range?: [number, number, number] } | null | undefined)?.range ?? undefined;
}
