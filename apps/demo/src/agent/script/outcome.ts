import type { ToolTurn } from "@countersign/testing";
import { z } from "zod";

/** The outcome of a call, from its tool result. */
export type OutcomeKind =
  | "done"
  | "denied"
  | "forbidden"
  | "expired"
  | "withdrawn"
  | "interrupted"
  | "failed";

export interface Outcome {
  kind: OutcomeKind;
  /** The tool's result, for `done`. */
  data?: unknown;
  /** A sentence about what a person changed before the call ran. */
  note?: string;
  /** The reason in the result. */
  message?: string;
}

const byCode: Record<string, OutcomeKind> = {
  denied_by_person: "denied",
  denied_by_policy: "forbidden",
  approval_expired: "expired",
  approval_withdrawn: "withdrawn",
  execution_interrupted: "interrupted",
};

/** Patterns for results without a code, most specific first. */
const byWords: [RegExp, OutcomeKind][] = [
  [/may or may not have run|interrupted/i, "interrupted"],
  [/expired|in time/i, "expired"],
  [/withdrawn/i, "withdrawn"],
  [/policy/i, "forbidden"],
  [/denied/i, "denied"],
];

const succeeded = z.object({
  data: z.unknown(),
  note: z.string().optional(),
  error: z.undefined().optional(),
});
const bareResult = z
  .union([z.array(z.unknown()), z.looseObject({ data: z.undefined().optional() })])
  .refine((result) => Object.values(result).some((value) => value !== undefined));
const problem = z.object({ code: z.string().optional(), message: z.string() });

/** Parses a tool result. Anything that is not clearly a success counts as a failure. */
export function outcomeOf(result: ToolTurn): Outcome {
  const refusal = findProblem(result.parsed);
  if (refusal) return { kind: kindOf(refusal), message: refusal.message };
  const success = succeeded.safeParse(result.parsed);
  if (success.success && success.data.data !== undefined) {
    const { data, note } = success.data;
    return { kind: "done", data, ...(note !== undefined && { note: note.replace(/ It ran with .*/s, "") }) };
  }
  // Other agents than AgentKit's tell the model the result alone. What did not run is told as a sentence.
  const alone = bareResult.safeParse(result.parsed);
  if (alone.success) return { kind: "done", data: alone.data };
  return { kind: kindOf({ message: result.content }), message: result.content };
}

function kindOf({ code, message }: z.infer<typeof problem>): OutcomeKind {
  const known = code === undefined ? undefined : byCode[code];
  return known ?? byWords.find(([words]) => words.test(message))?.[1] ?? "failed";
}

/** A refusal is under `error`, or is the whole result or its data if it has a Countersign code. */
function findProblem(parsed: unknown): z.infer<typeof problem> | undefined {
  const outer = z.looseObject({ error: z.unknown(), data: z.unknown() }).partial().safeParse(parsed);
  if (!outer.success) return undefined;
  if (typeof outer.data.error === "string") return { message: outer.data.error };
  const error = problem.safeParse(outer.data.error);
  if (error.success) return error.data;
  return [parsed, outer.data.data]
    .map((candidate) => problem.safeParse(candidate))
    .find(({ data }) => data?.code !== undefined && data.code in byCode)?.data;
}
