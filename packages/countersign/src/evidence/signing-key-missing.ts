import { CountersignError } from "@countersign/policy/internal/shared/errors";

/** The error if decisions are signed and this process cannot verify them. Another replica may. */
export function signingKeyMissing(approvalId: string): CountersignError {
  return new CountersignError(
    "signing_key_missing",
    `Approval ${approvalId} has signed evidence, but this process has no signingKey to verify it, so the call did not start. Set the same signingKey in every process that decides or runs calls`,
  );
}
