import { bytesOf, sizeText } from "@countersign/policy/internal/shared/byte-size";
import { CountersignError, type CountersignErrorCode } from "@countersign/policy/internal/shared/errors";
import { jsonResult } from "@countersign/policy/internal/shared/json-result";
import { consoleLogger, type Logger } from "@countersign/policy/internal/shared/logger";
import { warnOnce } from "@countersign/policy/internal/shared/warn-once";
import type { Approval } from "../../approval/approval.js";
import type { Proposed } from "../../approval/proposed.js";
import { outcomeUnverified, type Refusal, refusalWithoutDecision } from "../../approval/refusal-text.js";
import { isOutcomeProven } from "../../evidence/outcome-proof.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import type { ChangedState, StateChanges } from "./state-changes.js";
import { describeThrown } from "./thrown-value.js";

/** How an approved call ended. Plain data, because it is a step's output and is saved in the approval's row. */
export type ExecutionOutcome =
  | { status: "executed"; data?: unknown; state?: StateChanges; note?: string }
  | { status: "failed"; error: { name: string; message: string; code?: CountersignErrorCode } }
  | { status: "refused"; refusal: Refusal };

/** Maximum bytes of a result's JSON in its approval's row. */
const maxKeptBytes = 16 * 1024 * 1024;

/** A handler's result as far as JSON can hold it. What JSON loses is named, with one warning per tool. */
export function executedOutcome(
  toolName: string,
  result: unknown,
  changed: ChangedState = {},
  logger: Logger = consoleLogger,
): ExecutionOutcome {
  const { data, lost } = jsonResult(result);
  if (lost.length > 0) {
    warnOnce(
      logger,
      `result:${toolName}`,
      `The result of "${toolName}" contains values that JSON cannot represent (${lost.join(", ")}), so the model does not get them. Return plain objects and arrays, and only valid Unicode.`,
      { toolName },
    );
  }
  const bytes = jsonBytes(data);
  const kept =
    bytes > maxKeptBytes
      ? `The tool ran; its result of ${sizeText(bytes)} is too large and was not stored.`
      : data;
  return { status: "executed", ...(kept === undefined ? {} : { data: kept }), ...changed };
}

/** An outcome as it leaves the step and reaches the model. Text replaces what Inngest would refuse. */
export function fittingOutcome(
  outcome: ExecutionOutcome,
  approvalId: string,
  maxBytes: number,
): ExecutionOutcome {
  if (outcome.status !== "executed") return outcome;
  const bytes = jsonBytes(outcome.data);
  if (bytes <= maxBytes) return outcome;
  const data = `The tool ran; its result of ${sizeText(bytes)} is too large to be shown here (stored with ${approvalId}). Do not repeat the call to see it.`;
  return { ...outcome, data };
}

function jsonBytes(value: unknown): number {
  return bytesOf(JSON.stringify(value) ?? "");
}

export function failedOutcome(error: unknown): ExecutionOutcome {
  const code = CountersignError.isInstance(error) ? { code: error.code } : {};
  return { status: "failed", error: { ...describeThrown(error), ...code } };
}

/**
 * The outcome in an approval's row: saved by an earlier start, or the reason why there will be none. With a key, only a
 * signed outcome reaches the model.
 *
 * @param known The reason, where this process knows more than the row. @default from the row
 */
export async function outcomeOfRow(
  { signer }: Pick<ExecutionRuntime, "signer">,
  approval: Approval | undefined,
  proposed: Proposed,
  known?: Refusal,
): Promise<ExecutionOutcome> {
  if (approval?.outcomeJson && (approval.status === "executed" || approval.status === "failed")) {
    const proven = !signer || (await isOutcomeProven(approval, proposed, signer));
    return proven ? JSON.parse(approval.outcomeJson) : refused(outcomeUnverified(approval));
  }
  const refusal = known ?? (approval && refusalWithoutDecision(approval));
  return refused(
    refusal ?? {
      code: "approval_missing",
      approvalId: approval?.id ?? null,
      message: "No approval of exactly this call was found, so it did not run.",
    },
  );
}

function refused(refusal: Refusal): ExecutionOutcome {
  return { status: "refused", refusal };
}

/** An error with the name and message that the model reads, without a stack. */
export function reportable(outcome: Exclude<ExecutionOutcome, { status: "executed" }>): Error {
  const { name, message, code } =
    outcome.status === "failed" ? outcome.error : { name: "CallNotRun", ...outcome.refusal };
  const error = Object.assign(new Error(message), code === undefined ? {} : { code });
  error.name = name;
  error.stack = "";
  return error;
}
