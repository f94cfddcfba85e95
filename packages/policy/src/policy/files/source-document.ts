import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import { type PolicyProblem, quoted } from "./policy-problem.js";
import { yamlMistake } from "./yaml-mistakes.js";

export type FieldPath = readonly PropertyKey[];

/** A parsed file with the location of each field. */
export interface SourceDocument {
  file: string;
  /** Plain JSON. */
  value: unknown;
  has(path: FieldPath): boolean;
  /** Creates a problem at a field or its nearest existing ancestor. `where`: whether the key or the value is wrong. */
  problem(
    path: FieldPath,
    message: string,
    suggestion?: string | null,
    where?: "key" | "value",
  ): PolicyProblem;
}

export type ReadDocument = { ok: true; document: SourceDocument } | { ok: false; problems: PolicyProblem[] };

/** Parses JSON or YAML, detected from the text. A file named `.json` must be strict JSON. */
export function readDocument(text: string, file: string): ReadDocument {
  const lines = new LineCounter();
  const parsed = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    // The parser's own check is quadratic; `visit` below checks keys in linear time.
    uniqueKeys: false,
    // With "silent", a second document in the file would be dropped without an error.
    logLevel: "error",
  });
  const problemAt = (offset: number, path: FieldPath, message: string, suggestion: string | null) => {
    const { line, col } = lines.linePos(offset);
    const field = path.map(String).join(".");
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), field, message, suggestion };
  };
  const problems = [...parsed.errors, ...parsed.warnings].map((error) => {
    const { offset, message, suggestion, inText } = yamlMistake(
      error,
      text,
      parsed,
      pathAt(parsed, error.pos[0]),
    );
    const path = pathAt(parsed, offset);
    const field = inText ? path.slice(0, -1) : path;
    return problemAt(offset, field, `cannot be parsed: ${message}`, suggestion);
  });
  const anchors = new Set<string>();
  visit(parsed, {
    Alias(_, { source, range }) {
      if (source === "" || anchors.has(source)) return;
      const offset = range?.[0] ?? 0;
      const message = `cannot be parsed: no anchor before this has the name "${source}"`;
      problems.push(problemAt(offset, pathAt(parsed, offset), message, quoted(`*${source}`)));
    },
    Value(_, node) {
      if (node.anchor) anchors.add(node.anchor);
      if (!isMap(node)) return;
      const { items } = node;
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        const offset = key.range?.[0] ?? 0;
        if (name === "__proto__") {
          problems.push(problemAt(offset, pathAt(parsed, offset), "this key is not allowed", "rename it"));
        } else if (seen.has(name)) {
          const path = pathAt(parsed, offset);
          problems.push(problemAt(offset, path, "this key appears twice", "keep one of the two"));
        }
        seen.add(name);
      }
    },
  });
  if (problems.length === 0 && parsed.contents === null) {
    problems.push(problemAt(0, [], "the file is empty", 'begin with "version: 1" and "rules:"'));
  }
  if (problems.length > 0) return { ok: false, problems };

  const finder = createFinder(parsed);
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
      has: (path) => locate(parsed, path, finder).whole,
      problem: (path, message, suggestion = null, where = "value") => {
        const found = locate(parsed, path, finder);
        const offset = where === "key" && found.whole ? found.key : found.value;
        return problemAt(offset, path, message, suggestion);
      },
    },
  };
}

/**
 * Resolves aliases and keys with a cache. Both lookups are linear, and a file may repeat an alias or have thousands
 * of keys in one map.
 */
function createFinder(document: Document) {
  const resolved = new Map<Alias, unknown>();
  const pairs = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  return {
    resolve(node: unknown): unknown {
      if (!isAlias(node)) return node;
      if (!resolved.has(node)) resolved.set(node, node.resolve(document));
      return resolved.get(node);
    },
    pair(map: YAMLMap, key: string): Pair | undefined {
      let byKey = pairs.get(map);
      if (!byKey) {
        byKey = new Map(
          map.items.flatMap((item) => (isScalar(item.key) ? [[String(item.key.value), item]] : [])),
        );
        pairs.set(map, byKey);
      }
      return byKey.get(key);
    },
  };
}

/** Start offsets of the key and value at a path, or of the nearest ancestor. */
function locate(
  document: Document,
  path: FieldPath,
  finder: ReturnType<typeof createFinder>,
): { key: number; value: number; whole: boolean } {
  let node: unknown = document.contents;
  let key = 0;
  let value = startOf(node) ?? 0;
  for (const segment of path) {
    node = finder.resolve(node);
    if (isMap(node)) {
      const pair = finder.pair(node, String(segment));
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
