import * as z from "zod";
import { cutText } from "../shared/engine-text.js";
import type { Logger } from "../shared/logger.js";
import { nameOfThrown } from "../shared/name-of-thrown.js";
import { storableText } from "../shared/storable-text.js";
import { OutOfTime, withinTime } from "../shared/within-time.js";
import { type CheckContext, type CheckResult, ownContext, type SafetyCheck } from "./safety-check.js";

/** Milliseconds after which a check counts as failed. */
const checkLimitMs = 5_000;
/** Maximum characters of a check's message. */
const maxMessage = 200;
/** Longer texts are cut before hidden values are searched in them. */
const maxSearched = 10 * maxMessage;

const answerSchema = z.union([
  z.boolean().transform((ok) => ({ ok, message: undefined })),
  z.object({ ok: z.boolean(), message: z.string().optional() }),
]);

/** A call whose checks are run. */
export interface CheckedCall {
  /** The arguments as JSON text. Each check gets its own copy. */
  inputJson: string;
  context: Omit<CheckContext, "signal">;
  /** Hides in a message what people may not see. */
  hide(message: string): string;
  logger: Logger;
}

/**
 * Runs the checks side by side. Never fails: a check that throws, takes too long or returns something else than an
 * answer counts as failed. What it threw may quote secrets, so only its name is logged.
 */
export function runChecks(checks: readonly SafetyCheck[], call: CheckedCall): Promise<CheckResult[]> {
  return Promise.all(checks.map((check) => runCheck(check, call)));
}

async function runCheck({ name, run }: SafetyCheck, call: CheckedCall): Promise<CheckResult> {
  const failed = (message: string, why: string): CheckResult => {
    const { toolName, moment } = call.context;
    const warning = `The safety check "${name}" of ${toolName} ${why}, so it counts as failed`;
    call.logger.warn(warning, { toolName, moment });
    return { name, ok: false, message };
  };
  try {
    const answer: unknown = await withinTime(checkLimitMs, (signal) =>
      run(JSON.parse(call.inputJson), { ...ownContext(call.context), signal }),
    );
    const parsed = answerSchema.safeParse(answer);
    if (!parsed.success) return failed("Could not be checked", "returned no answer");
    const { ok, message } = parsed.data;
    return { name, ok, message: messageOf(message, call) };
  } catch (error) {
    return error instanceof OutOfTime
      ? failed("Could not be checked in time", "took too long")
      : failed("Could not be checked", `threw (${nameOfThrown(error)})`);
  }
}

function messageOf(message = "", { hide }: CheckedCall): string | null {
  const text = hide(cutText(storableText(message), maxSearched)).trim();
  const isCut = text.length > maxMessage || message.length > maxSearched;
  return isCut ? `${cutText(text, maxMessage - 1)}…` : text || null;
}
