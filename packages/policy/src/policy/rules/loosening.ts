import type { VerdictKind } from "./rule.js";
import type { Term } from "./term-table.js";
import { nameInRules, type Terms, termNames, terms } from "./terms.js";

// Built once: rules of threads are looked at for every call.
const written = termNames.map((name): [keyof Terms, Term<unknown>] => [nameInRules(name), terms[name]]);

/** The fields of a thread's rule that would loosen other rules or the defaults. */
export function looseningFields(verdict: VerdictKind, rule: Terms): (keyof Terms)[] {
  const found: (keyof Terms)[] = [];
  for (const [field, term] of written) {
    const value = rule[field];
    if (value !== undefined && !term.tightens?.(value, verdict)) found.push(field);
  }
  return found;
}

/** Returns the terms without loosening fields. */
export function withoutLoosening(verdict: VerdictKind, rule: Terms): Terms {
  const left = { ...rule };
  for (const field of looseningFields(verdict, rule)) delete left[field];
  return left;
}
