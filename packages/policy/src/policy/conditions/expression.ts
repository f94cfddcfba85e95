import type { Meter } from "../../bounded/work-limit.js";
import type { Count } from "../counts.js";
import type { Place } from "./condition-error.js";
import type { Kind } from "./values.js";

/** The variables and limits of an evaluation. */
export interface Scope {
  readonly variables: Readonly<Record<string, unknown>>;
  /** Current items of the enclosing comprehensions, outermost first. */
  readonly items: unknown[];
  readonly meter: Meter;
}

/** A compiled expression. */
export interface Expression {
  /** @throws ConditionError, TooMuchWork */
  run(scope: Scope): unknown;
  /** The kind of its value, if it is the same for every call. */
  kind?: Kind | undefined;
  /** Whether its value is the type of a call's value, or a type that such values never have. */
  type?: "of the call" | "not in JSON" | undefined;
  /** The kinds of its fields, if the host sets them. It then has no others. */
  fields?: Readonly<Record<string, Kind>> | undefined;
  /** The items of a list literal. */
  items?: readonly Expression[] | undefined;
  /** The value of a literal. */
  literal?: unknown;
  /** The count that it reads, and nothing else. */
  count?: Count | undefined;
  /** Number of nodes: the cost of evaluating it, without what its functions spend. */
  nodes: number;
}

/** The context in which an expression is compiled. */
export interface Surroundings {
  /** Variables of the enclosing comprehensions, outermost first. */
  items: readonly string[];
  depth: number;
  /** Limits the cost of compiling, for conditions from untrusted authors. */
  meter: Meter;
  /** Collects the names of the variables that the expression reads. */
  reads: Set<string>;
  /** Collects what the expression counts over time, by the counts' texts. */
  counts: Map<string, Count>;
  /** Collects warnings about conditions that are valid but probably wrong. */
  warn(at: Place, message: string): void;
}

/** Number of nodes of an expression with these parts. */
export function nodesWith(...parts: readonly Expression[]): number {
  return parts.reduce((nodes, part) => nodes + part.nodes, 1);
}
