import { RE2JS } from "re2js";
import { patternSize } from "./pattern-size.js";
import type { Meter } from "./work-limit.js";

/** Maximum compiled size in instructions. A counted repetition such as `a{500}` needs one per repetition. */
const maxProgramSize = 5_000;

/** Cost of compiling one instruction. */
const unitsOfInstruction = 200;

/** Characters times instructions that a search passes per unit of work, at worst. */
const stepsPerUnit = 8;

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
  readonly #compiled: RE2JS;

  /** `meter`: limits the cost of compiling patterns from untrusted authors. */
  constructor(source: string, meter?: Meter) {
    const size = patternSize(source);
    if (size > maxProgramSize) {
      throw new PatternProblem("the regular expression is too large; use fewer repetitions and less nesting");
    }
    meter?.spend(size * unitsOfInstruction);
    this.#compiled = compile(source);
  }

  /** Whether the pattern matches anywhere in the text. */
  test(text: string, meter: Meter): boolean {
    this.#spend(text.length, meter);
    return this.#compiled.test(text);
  }

  /** Every match in the text, from left to right. */
  spans(text: string, meter: Meter): Span[] {
    if (!this.test(text, meter)) return [];
    const spans: Span[] = [];
    const matcher = this.#compiled.matcher(text);
    for (let from = 0; ; ) {
      // Each search may read to the end of the text before it returns a match near the start.
      this.#spend(text.length - from, meter);
      if (!matcher.find()) return spans;
      from = matcher.end();
      spans.push({ from: matcher.start(), to: from });
    }
  }

  #spend(characters: number, meter: Meter): void {
    meter.spend((characters * this.#compiled.programSize()) / stepsPerUnit);
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const detail = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new PatternProblem(`not a valid RE2 regular expression (${detail})`);
  }
}
