import type { ApprovalTerms } from "./approval.js";
import { hiddenValue, hideMatches } from "./hidden-text.js";
import { redactExpression } from "./redact-patterns.js";
import { isPlainObject } from "./tool-input.js";
import { withinTime } from "./within-time.js";

/** What a rule hides: the fields at some paths, and what patterns match wherever it stands. */
export type Hiding = Pick<ApprovalTerms, "redact" | "redactPatterns">;

/** Longest time that patterns may take for one value, in milliseconds; after it the value is hidden wholly. */
const longestMs = 1000;

/**
 * The value with what is to be hidden replaced by a marker. A path names keys of objects from the top; `*` stands for
 * any one key or any item of a list, and what lies below a hidden field is hidden with it. A pattern hides what it
 * matches within texts, and numbers that it matches wholly; keys stay as they are.
 */
export function redact(value: unknown, { redact: paths, redactPatterns }: Hiding): unknown {
  if (paths.length === 0 && redactPatterns.length === 0) return value;
  const steps = paths.map((path) => path.split("."));
  if (redactPatterns.length === 0) return redactAt(value, steps, []);
  const expressions = redactPatterns.map(redactExpression);
  const done = withinTime(longestMs, () => redactAt(value, steps, expressions));
  return done ? done.value : hiddenValue;
}

function redactAt(
  value: unknown,
  paths: readonly (readonly string[])[],
  expressions: readonly RegExp[],
): unknown {
  if (paths.some((path) => path.length === 0)) return hiddenValue;
  if (typeof value === "string") return hideMatches(value, expressions)?.shown ?? value;
  if (typeof value === "number") return hideMatches(String(value), expressions)?.wholly ? hiddenValue : value;
  if (Array.isArray(value)) {
    return value.map((item, index) => redactAt(item, below(paths, String(index)), expressions));
  }
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, redactAt(item, below(paths, key), expressions)]),
  );
}

/** The paths that go on below a key, from there. */
export function below(paths: readonly (readonly string[])[], key: string): (readonly string[])[] {
  return paths.filter(([first]) => first === "*" || first === key).map(([, ...rest]) => rest);
}

/** Shorter texts stand in too many places to be hidden wherever they stand; longer ones are not repeated word for word. */
const repeatable = { shortest: 4, longest: 10_000 };

/** The texts and numbers at the paths, and below them, that can be recognised where something repeats them. */
export function hiddenTexts(value: unknown, paths: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (item: unknown, steps: readonly (readonly string[])[], hidden: boolean): void => {
    const within = hidden || steps.some((path) => path.length === 0);
    if (typeof item === "object" && item !== null) {
      for (const [key, child] of Object.entries(item)) visit(child, below(steps, key), within);
      return;
    }
    const text = typeof item === "string" || typeof item === "number" ? String(item) : "";
    if (within && text.length >= repeatable.shortest && text.length <= repeatable.longest) found.add(text);
  };
  visit(
    value,
    paths.map((path) => path.split(".")),
    false,
  );
  return [...found];
}
