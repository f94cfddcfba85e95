import { ApprovalsApiError, ApprovalsConnectionError } from "countersign/client";
import type { ErrorMessage } from "../../words/en/errors.js";
import { words } from "../../words/words.js";

export type { ErrorMessage } from "../../words/en/errors.js";

/** The message for any error. */
export function errorMessage(error: unknown): ErrorMessage {
  const { byCode, detail, noResponse, unknown } = words.errors;
  if (error instanceof ApprovalsConnectionError) {
    return { title: noResponse.title, advice: noResponse.adviceOnDecision };
  }
  if (!(error instanceof ApprovalsApiError)) {
    return { title: unknown.title, advice: unknown.adviceOnDecision };
  }
  if (error.code === "already_decided") return alreadyDecided(error);
  return byCode[error.code] ?? { title: error.problem.title, advice: detail(error.problem.detail) };
}

/** Codes whose usual message fits the request for an undo too. */
const commonCodes = new Set(["unauthenticated", "too_many_requests", "database_failed"]);

/** The message for an error of a request for an undo. Why it is refused is said in the server's words. */
export function undoErrorMessage(error: unknown): ErrorMessage {
  const { noResponse, unknown } = words.errors;
  if (error instanceof ApprovalsConnectionError) {
    return { title: noResponse.title, advice: noResponse.adviceOnUndo };
  }
  if (!(error instanceof ApprovalsApiError)) {
    return { title: unknown.title, advice: unknown.adviceOnUndo };
  }
  if (commonCodes.has(error.code)) return errorMessage(error);
  const { title, detail } = error.problem;
  return { title, advice: words.errors.detail(`${detail}${/[.!?]$/.test(detail) ? "" : "."}`) };
}

function alreadyDecided({ problem }: ApprovalsApiError): ErrorMessage {
  const { title, advice } = words.errors.alreadyDecided;
  return { title: title(decider(problem)), advice };
}

function decider({ decidedBy }: ApprovalsApiError["problem"]): string | undefined {
  return typeof decidedBy === "string" && decidedBy !== "" ? decidedBy : undefined;
}
