import { ApprovalsConnectionError } from "countersign/client";
import { z } from "zod";

const problem = z.object({ detail: z.string() });

/** Whether the server could not be reached, so that trying again helps. */
export function isConnectionLost(error: unknown): boolean {
  // What `fetch` and its streams throw.
  return error instanceof TypeError || error instanceof ApprovalsConnectionError;
}

/** What went wrong, for people. */
export function errorText(error: unknown): string {
  if (isConnectionLost(error)) return "The server does not answer. Calls keep waiting; trying again.";
  if (!(error instanceof Error)) return "Something failed.";
  try {
    return problem.parse(JSON.parse(error.message)).detail;
  } catch {
    return error.message;
  }
}
