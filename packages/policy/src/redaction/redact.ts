import { PatternProblem } from "../bounded/linear-pattern.js";
import { type Meter, TooMuchWork, unitsOfRedaction, WorkLimit } from "../bounded/work-limit.js";
import { isPlainObject } from "../shared/plain-object.js";
import { hiddenValue, hideMatches } from "./hidden-text.js";
import { type TextPattern, textPatterns } from "./redact-patterns.js";
import { unreadable } from "./unreadable.js";

/** A rule's redactions: fields by path, and pattern matches in any field. */
export interface Hiding {
  redact: string[];
  redactPatterns: string[];
}

/**
 * Replaces redacted values by a marker. A path lists keys from the root; `*` matches any single key or list item, and
 * everything below a hidden field is hidden too. A pattern hides its matches within texts, and numbers that it
 * matches completely; keys are not changed. If they take too much work, the whole value is hidden.
 */
export function redact(value: unknown, hiding: Hiding, limit = new WorkLimit(unitsOfRedaction)): unknown {
  return replaceHidden(value, hiding, limit, { whole: hiddenValue, part: (shown) => shown });
}

/**
 * The value as readable by a condition whose author may not see everything: any field with hidden parts is
 * unreadable.
 */
export function readableInput(value: unknown, hiding: Hiding, limit: WorkLimit): unknown {
  return replaceHidden(value, hiding, limit, { whole: unreadable, part: () => unreadable });
}

/** How hidden values and partly hidden texts are replaced. */
interface Replacements {
  whole: unknown;
  part(shown: string): unknown;
}

function replaceHidden(
  value: unknown,
  { redact: paths, redactPatterns }: Hiding,
  limit: WorkLimit,
  replacements: Replacements,
): unknown {
  if (paths.length === 0 && redactPatterns.length === 0) return value;
  const steps = paths.map((path) => path.split("."));
  try {
    const patterns = textPatterns(redactPatterns);
    if (patterns.length === 0) return replaceAt(value, steps, { patterns, meter: undefined, replacements });
    return limit.run((meter) => replaceAt(value, steps, { patterns, meter, replacements }));
  } catch (error) {
    // Somebody may have changed a stored pattern.
    if (error instanceof TooMuchWork || error instanceof PatternProblem) return replacements.whole;
    throw error;
  }
}

interface Replacing {
  patterns: readonly TextPattern[];
  /** Absent if there are no patterns. */
  meter: Meter | undefined;
  replacements: Replacements;
}

function replaceAt(value: unknown, paths: readonly (readonly string[])[], replacing: Replacing): unknown {
  const { patterns, meter, replacements } = replacing;
  if (paths.some((path) => path.length === 0)) return replacements.whole;
  if (meter && (typeof value === "string" || typeof value === "number")) {
    const hidden = hideMatches(String(value), patterns, meter);
    if (!hidden) return value;
    if (hidden.wholly) return replacements.whole;
    return typeof value === "string" ? replacements.part(hidden.shown) : value;
  }
  if (Array.isArray(value)) {
    meter?.spend(value.length);
    return value.map((item, index) => replaceAt(item, below(paths, String(index)), replacing));
  }
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value);
  meter?.spend(entries.length);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, replaceAt(item, below(paths, key), replacing)]),
  );
}

/** The remaining paths below a key. */
export function below(paths: readonly (readonly string[])[], key: string): (readonly string[])[] {
  return paths.filter(([first]) => first === "*" || first === key).map(([, ...rest]) => rest);
}

/** Shorter texts occur too often to hide everywhere; longer ones are rarely repeated verbatim. */
const repeatable = { minLength: 4, maxLength: 10_000 };

/** The texts and numbers at or below the paths that are specific enough to recognize elsewhere. */
export function hiddenTexts(value: unknown, paths: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (item: unknown, steps: readonly (readonly string[])[], hidden: boolean): void => {
    const within = hidden || steps.some((path) => path.length === 0);
    if (typeof item === "object" && item !== null) {
      for (const [key, child] of Object.entries(item)) visit(child, below(steps, key), within);
      return;
    }
    const text = typeof item === "string" || typeof item === "number" ? String(item) : "";
    if (within && text.length >= repeatable.minLength && text.length <= repeatable.maxLength) found.add(text);
  };
  visit(
    value,
    paths.map((path) => path.split(".")),
    false,
  );
  return [...found];
}
