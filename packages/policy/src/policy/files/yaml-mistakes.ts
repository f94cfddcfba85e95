import { type Document, isSeq, visit, type YAMLError } from "yaml";
import { negationProblem } from "../rules/tool-pattern.js";
import { quoted } from "./policy-problem.js";

/** A mistake in YAML, in words for people who do not know its grammar. */
export interface YamlMistake {
  /** Start offset. */
  offset: number;
  message: string;
  suggestion: string | null;
  /** What seems to be a key is part of a text. */
  inText?: true;
}

/** Fields with names and globs of tools. */
const globFields: ReadonlySet<unknown> = new Set(["tools", "except", "allowlist", "asklist", "denylist"]);

/** Says what to write instead of what the parser does not understand. */
export function yamlMistake(
  { code, message, pos: [offset] }: YAMLError,
  text: string,
  document: Document,
  path: readonly PropertyKey[],
): YamlMistake {
  const mistake = { offset, message: message.split("\n")[0] ?? "", suggestion: null };
  const inText = { ...mistake, message: `the text has ": " in it`, inText: true as const };
  const word = /^[^\s,\]}]*/.exec(text.slice(offset))?.[0] ?? "";
  switch (code) {
    case "BAD_ALIAS":
      return { ...mistake, message: '"*" begins an alias', suggestion: quoted(word) };
    case "TAG_RESOLVE_FAILED": {
      const negation = path.some((key) => globFields.has(key)) ? negationProblem(word) : undefined;
      return { ...mistake, suggestion: negation ? `a glob ${negation}` : quoted(word) };
    }
    case "BAD_SCALAR_START":
      return { ...mistake, suggestion: quoted(restOfLine(text, offset)) };
    case "BLOCK_AS_IMPLICIT_KEY":
      return { ...inText, suggestion: quoted(restOfLine(text, offset)) };
    case "BLOCK_IN_FLOW": {
      const [value = ""] = restOfLine(text, offset).split(/\s*[,}\]]/);
      return { ...inText, suggestion: quoted(value) };
    }
    case "NON_STRING_KEY":
      return text.startsWith("{{", offset - 1)
        ? {
            ...mistake,
            message: '"{" begins a set of fields',
            suggestion: quoted(restOfLine(text, offset - 1)),
          }
        : mistake;
    case "BAD_INDENT":
    case "MISSING_CHAR":
      return unclosedBracket(mistake, text, document) ?? mistake;
    default:
      return mistake;
  }
}

/** The parser reports a missing bracket where the next one would be allowed. People look for the one that is open. */
function unclosedBracket(
  { offset, message }: YamlMistake,
  text: string,
  document: Document,
): YamlMistake | undefined {
  const close = /^Flow (?:map|sequence) .*end with a ([\]}])$/.exec(message)?.[1];
  const ending: number[] = [];
  visit(document, {
    Collection(_, node) {
      const [start, end] = node.range ?? [];
      if (node.flow && end === offset && isSeq(node) === (close === "]")) ending.push(start ?? 0);
    },
  });
  if (close === undefined) return undefined;
  // The innermost, unless the bracket before this place closes that one.
  const open = ending.at(text[offset - 1] === close ? -2 : -1);
  if (open === undefined) return undefined;
  const bracket = close === "]" ? "[" : "{";
  return { offset: open, message: `the "${bracket}" is not closed`, suggestion: `add "${close}"` };
}

function restOfLine(text: string, offset: number): string {
  return /^.*?(?=\s+#|\s*$)/m.exec(text.slice(offset))?.[0] ?? "";
}
