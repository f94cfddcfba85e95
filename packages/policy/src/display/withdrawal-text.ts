/** Why a call was withdrawn, or refused just before it started, as the end of a sentence for people and models. */
export const withdrawalText = {
  run_cancelled: "the run was cancelled",
  run_failed: "the run failed",
  run_lost: "the workflow engine lost the run",
  policy_changed: "the policy changed after the approval, and this now needs more than that approval",
  tool_changed: "the tool's definition changed after the approval",
  digest_changed: "what is stored no longer matches what was approved",
  superseded: "a newer message in the conversation superseded it",
  too_many_pending: "too many requests are already waiting for approval",
  too_many_denials: "people denied the latest requests of this run in a row",
  duplicate_call: "the same request is already waiting for approval",
  grant_revoked: "the standing permission that covered it was revoked",
  budget_exhausted: "the budget of the standing permission that covered it was used up",
  effects_changed: "what it would change was no longer what it was approved for",
  check_failed: "a safety check failed right before the start",
  evidence_invalid: "the record of the decision could not be verified",
  stopped: "an operator has stopped this tool",
  asker_gone: "the MCP server that asked no longer waits for the answer",
  restored: "the database was restored from a backup, and the approval may have been used since then",
  orchestration_failed: "the approval could not be completed because of a technical error",
} as const;

/** Why a call was withdrawn, or refused just before it started. */
export type WithdrawalCause = keyof typeof withdrawalText;

export const withdrawalCauses = Object.keys(withdrawalText) as WithdrawalCause[];
