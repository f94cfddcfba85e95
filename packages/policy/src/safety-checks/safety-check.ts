import * as z from "zod";
import { CountersignError } from "../shared/errors.js";

/** Whether a check passed: `true`, `false`, or either with a message for people and the model. */
export type CheckAnswer = boolean | { ok: boolean; message?: string };

/** What a safety check is told about the call. */
export interface CheckContext {
  /** `proposal`: people see the result. `start`: the call is about to run, and a failure stops it. */
  moment: "proposal" | "start";
  toolName: string;
  tenantId: string;
  threadId: string | null;
  /** The person on whose behalf the call is made; `null` if the host does not provide it. */
  requester: { id: string; roles: readonly string[] } | null;
  /** The approval of the call that is about to run; `null` at the proposal and for a call that needs none. */
  approvalId: string | null;
  /** Aborted when the time of the check is over. */
  signal: AbortSignal;
}

/**
 * A named check of a call's arguments in code. It must have no side effects: it runs when the call is proposed and again
 * before it starts, each time for at most 5 seconds.
 */
export interface SafetyCheck<Input = Record<string, unknown>> {
  /** Name that people and the model read: 1 to 60 characters. */
  name: string;
  /** @param input A copy of the arguments: as proposed, and at the start as they will run, with a person's changes. */
  run(input: Input, context: CheckContext): CheckAnswer | Promise<CheckAnswer>;
}

/** The result of a check, as people see it. */
export interface CheckResult {
  name: string;
  ok: boolean;
  /** The check's own words, or why it could not be run. */
  message: string | null;
}

/** A copy for a host's own code: what that does to it must change neither the verdict nor what others are told. */
export function ownContext<C extends Pick<CheckContext, "requester">>(context: C): C {
  const { requester } = context;
  return { ...context, requester: requester && { id: requester.id, roles: [...requester.roles] } };
}

const checkSchema = z.object({
  name: z.string().regex(/^[^\s\p{C}](?:[^\p{C}]{0,58}[^\s\p{C}])?$/u, "must be 1 to 60 visible characters"),
  run: z.custom<SafetyCheck["run"]>((value) => typeof value === "function", "must be a function"),
});

/** The checks of one rule or one tool. */
export const safetyChecksSchema = z
  .array(checkSchema)
  .min(1)
  .max(20)
  .refine((checks) => clashIn(checks) === undefined, {
    error: ({ input }) => `two different checks are named "${clashIn(input as SafetyCheck[])}"`,
  });

/** Checks of several sources, each once, by name. Copies, because what is concluded from fixed rules is frozen. */
export function mergeChecks(checks: readonly SafetyCheck[]): SafetyCheck[] {
  return checks
    .filter(
      ({ name, run }, at) => at === checks.findIndex((other) => other.name === name && other.run === run),
    )
    .map(({ name, run }) => ({ name, run }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The checks of a call from its tool and its rules.
 *
 * @throws CountersignError `invalid_option` if two different checks have one name.
 */
export function distinctChecks(toolName: string, checks: readonly SafetyCheck[]): SafetyCheck[] {
  const clash = clashIn(checks);
  if (clash === undefined) return mergeChecks(checks);
  throw new CountersignError(
    "invalid_option",
    `Two different safety checks of "${toolName}" are named "${clash}". Give each its own name, or use one function`,
  );
}

/** The name that two different checks have. */
function clashIn(checks: readonly SafetyCheck[]): string | undefined {
  return mergeChecks(checks).find(({ name }, at, all) => all[at - 1]?.name === name)?.name;
}
