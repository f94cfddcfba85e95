import { didYouMean } from "../../shared/did-you-mean.js";

/** A problem in a policy file, with its location and a suggested fix. */
export interface PolicyProblem {
  file: string;
  /** Line and column start at 1. */
  line: number;
  column: number;
  /** Path of the field, such as `rules.3.verdict`; empty for the whole file. */
  field: string;
  message: string;
  suggestion: string | null;
}

/** Formats a problem as one line: `policy.yaml:12:5 rules.3.verdict: must be one of …; did you mean "ask"?` */
export function formatProblem({ file, line, column, field, message, suggestion }: PolicyProblem): string {
  const place = `${file}:${line}:${column}${field === "" ? "" : ` ${field}`}`;
  return `${place}: ${message}${suggestion === null ? "" : `; ${suggestion}`}`;
}

/** Returns `did you mean "name"?`, or null if no known word is close. */
export function nearestWord(wrong: string, known: readonly string[]): string | null {
  return didYouMean(wrong, known).replace(/^; /, "") || null;
}

/** The text in double quotes, with which YAML reads it as text. */
export function quoted(text: string): string {
  return `put it in quotes: ${JSON.stringify(text)}`;
}
