/** Why a condition cannot be evaluated. The messages quote neither values nor the condition. */
const problems = {
  syntax: "this is not valid CEL",
  name: "unknown name; conditions can use input, principal, thread, tool, effects and reversible",
  function: "this function does not exist or does not accept these values",
  pattern: "this is not a valid RE2 regular expression",
  depth: "this is nested too deeply",
  missing: "a field is missing",
  kind: "a value has the wrong kind",
  value: "the function does not accept this value",
  hidden: "this reads a value that is hidden from the condition's author",
} as const;

/** A part of a condition's text. */
export interface Place {
  /** Start offset, from 0. */
  position: number;
  text: string;
}

/**
 * A condition that cannot be compiled, or cannot be evaluated for a call. The message may quote the condition, but
 * never a value of the call.
 */
export class ConditionError extends Error {
  override readonly name = "ConditionError";

  constructor(
    readonly problem: keyof typeof problems,
    private readonly place: Place,
    message: string = problems[problem],
  ) {
    super(message);
  }

  /** Location and kind of the error, for people who may not see the values that the condition reads. */
  get summary(): string {
    return `at character ${this.place.position + 1}, ${problems[this.problem]}`;
  }
}
