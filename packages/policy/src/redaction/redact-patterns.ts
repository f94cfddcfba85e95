import { LinearPattern, PatternProblem, type Span } from "../bounded/linear-pattern.js";
import { boundedIndexOf, charactersPerUnit } from "../bounded/text-search.js";
import { type Meter, WorkLimit } from "../bounded/work-limit.js";

/** Finds text to hide. */
export interface TextPattern {
  /** @throws TooMuchWork */
  spans(text: string, meter: Meter): Span[];
}

/** Named patterns for common secrets. Each matches within a longer text, in linear time. */
const named = {
  card_number: /\b(?:\d[ -]?){12,18}\d\b/g,
  email: /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}/gu,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g,
  bearer_token: /\b[Bb]earer\s+[\w.~+/=-]+/g,
  jwt: /\beyJ[\w-]{12,}(?:\.[\w-]+)*/g,
} as const satisfies Record<string, RegExp>;

export const redactPatternNames = Object.keys(named);

const known = new WeakMap<readonly string[], readonly TextPattern[]>();

/**
 * Compiles a rule's patterns: names from the table, or regular expressions.
 *
 * @throws PatternProblem
 */
export function textPatterns(patterns: readonly string[]): readonly TextPattern[] {
  let made = known.get(patterns);
  if (!made) {
    made = patterns.map(textPattern);
    known.set(patterns, made);
  }
  return made;
}

const linear = new Map<string, LinearPattern>();
const maxLinear = 100;

function textPattern(pattern: string): TextPattern {
  if (Object.hasOwn(named, pattern)) return namedPattern(named[pattern as keyof typeof named]);
  const literal = literalOf(pattern);
  return literal === undefined ? linearPattern(pattern) : literalPattern(literal);
}

function linearPattern(pattern: string): LinearPattern {
  let compiled = linear.get(pattern);
  if (!compiled) {
    compiled = new LinearPattern(pattern);
    if (linear.size >= maxLinear) linear.clear();
    linear.set(pattern, compiled);
  }
  return compiled;
}

function namedPattern(expression: RegExp): TextPattern {
  return {
    spans(text, meter) {
      meter.spend(text.length / charactersPerUnit);
      return [...text.matchAll(expression)].map((match) => ({
        from: match.index,
        to: match.index + match[0].length,
      }));
    },
  };
}

function literalPattern(literal: string): TextPattern {
  return {
    spans(text, meter) {
      const spans: Span[] = [];
      for (let from = 0; ; ) {
        const at = boundedIndexOf(text, literal, from, meter);
        if (at < 0) return spans;
        from = at + literal.length;
        spans.push({ from: at, to: from });
      }
    },
  };
}

/** Why a pattern is invalid, or `undefined` if it is valid. */
export function redactPatternProblem(pattern: string): string | undefined {
  try {
    const empty = new WorkLimit().run((meter) => textPattern(pattern).spans("", meter));
    return empty.length === 0 ? undefined : "matches the empty string";
  } catch (error) {
    if (error instanceof PatternProblem) return error.message;
    throw error;
  }
}

const special = /[\\^$.*+?()[\]{}|/]/g;

/** A pattern that matches exactly this text. */
export function escapedPattern(text: string): string {
  return text.replace(special, "\\$&");
}

/** The literal text of a pattern without special characters, or with escaped ones. */
function literalOf(pattern: string): string | undefined {
  const text = pattern.replace(/\\([\\^$.*+?()[\]{}|/])/g, "$1");
  return text !== "" && escapedPattern(text) === pattern ? text : undefined;
}
