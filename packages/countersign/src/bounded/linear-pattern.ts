import { RE2JS } from "re2js";
import { patternSize } from "./pattern-size.js";
import { charactersPerUnit } from "./text-search.js";
import type { Meter } from "./work-limit.js";

/** Maximum compiled size in instructions. A counted repetition such as `a{500}` needs one per repetition. */
const maxProgramSize = 5_000;

/** Cost of compiling one instruction. */
const unitsOfInstruction = 200;

/** A pattern that is not valid RE2 or too large. */
export class PatternProblem extends Error {}

/** A match in UTF-16 units. */
export interface Span {
  from: number;
  to: number;
}

/**
 * An RE2 regular expression, matched in linear time. Lookaround and backreferences are not supported.
 *
 * @throws PatternProblem if the pattern is invalid.
 */
export class LinearPattern {
  readonly #source: string;
  #compiled: RE2JS;
  /** Set while matching. If the time limit interrupts a match, the matcher's state is unusable. */
  #matching = false;

  /** `meter`: limits the cost of compiling patterns from untrusted authors. */
  constructor(source: string, meter?: Meter) {
    const size = patternSize(source);
    if (size > maxProgramSize) {
      throw new PatternProblem("the regular expression is too large; use fewer repetitions and less nesting");
    }
    meter?.spendStoppable(size * unitsOfInstruction);
    this.#source = source;
    this.#compiled = compile(source);
  }

  /** Whether the pattern matches anywhere in the text. */
  test(text: string, meter: Meter): boolean {
    this.#spend(text.length, meter);
    return this.#match((compiled) => compiled.test(text));
  }

  /** Every match in the text, from left to right. */
  spans(text: string, meter: Meter): Span[] {
    if (!this.test(text, meter)) return [];
    return this.#match((compiled) => {
      const spans: Span[] = [];
      const matcher = compiled.matcher(text);
      for (let from = 0; ; ) {
        // Each search may read to the end of the text before it returns a match near the start.
        this.#spend(text.length - from, meter);
        if (!matcher.find()) return spans;
        from = matcher.end();
        spans.push({ from: matcher.start(), to: from });
      }
    });
  }

  #spend(characters: number, meter: Meter): void {
    meter.spend(characters / charactersPerUnit);
    meter.spendStoppable(characters * this.#compiled.programSize());
  }

  #match<T>(work: (compiled: RE2JS) => T): T {
    if (this.#matching) this.#compiled = compile(this.#source);
    this.#matching = true;
    try {
      return work(this.#compiled);
    } finally {
      // Not reached if the time limit interrupts the match.
      this.#matching = false;
    }
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const words = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new PatternProblem(`not a valid RE2 regular expression (${words})`);
  }
}
