import { didYouMean } from "./did-you-mean.js";

/** What is wrong in a policy file, where, and what would mend it. */
export interface PolicyProblem {
  file: string;
  /** Both counted from 1. */
  line: number;
  column: number;
  /** Path of the field, such as `rules.3.verdict`; empty where the whole file is meant. */
  field: string;
  message: string;
  suggestion: string | null;
}

/** One line for people: `policy.yaml:12:5 rules.3.verdict: must be one of …; did you mean "ask"?` */
export function formatProblem({ file, line, column, field, message, suggestion }: PolicyProblem): string {
  const place = `${file}:${line}:${column}${field === "" ? "" : ` ${field}`}`;
  return `${place}: ${message}${suggestion === null ? "" : `; ${suggestion}`}`;
}

/** `did you mean "…"?`, or nothing where no known word is near. */
export function nearestWord(wrong: string, known: readonly string[]): string | null {
  return didYouMean(wrong, known).replace(/^; /, "") || null;
}
