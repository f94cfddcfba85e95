import type { Countersign } from "../instance/countersign.js";
import { requestHumanInputName } from "../policy/rules/question-rule.js";
import { CountersignError } from "../shared/errors.js";
import type { Principal } from "../shared/principal.js";
import { storeVerbs } from "../store/store.js";

/**
 * A person's answer in the chat. `digest` is the one that the client was shown; `null` if the client did not return it.
 */
export type ChatAnswer = { approvalId: string; digest: string | null } & (
  | { kind: "approve"; reason: string | null }
  | { kind: "deny"; reason: string | null }
  | { kind: "edit"; input: unknown; reason: string | null }
  | { kind: "respond"; response: unknown }
);

const noDigest = "The chat did not return the digest of the call that it showed";
const maxReason = 10_000;

/** Codes of errors about calls that are over. The stream shows how they ended. */
const overCodes = new Set<string>(["already_decided", "expired", "withdrawn", "not_open"]);

/**
 * Records the answers of a person in the chat. The client sends the approval's id, the digest, the verdict and the
 * reason. Each is checked as in the inbox.
 *
 * @returns Why answers were not recorded, by approval id. Calls that are over are not included.
 */
export async function recordAnswers(
  { decide, store }: Pick<Countersign, "decide" | "store">,
  {
    threadId,
    principal,
    answers,
  }: { threadId: string; principal: Principal; answers: readonly ChatAnswer[] },
): Promise<Map<string, string>> {
  const refusals = new Map<string, string>();
  for (const answer of answers) {
    const { approvalId } = answer;
    const approval = await storeVerbs(store).getApproval(principal.tenantId, approvalId);
    // Approvals of another conversation were not shown in this one. Those that are not pending have been answered
    // before.
    if (approval?.threadId !== threadId || approval.status !== "pending") continue;
    const problem = problemOf(answer, approval.toolName);
    if (problem !== undefined || answer.digest === null) {
      refusals.set(approvalId, `${problem ?? noDigest}. Nothing was decided`);
      continue;
    }
    try {
      await decide({
        approvalId,
        principal,
        digest: answer.digest,
        type: answer.kind,
        reason: answer.kind === "respond" ? null : answer.reason,
        ...(answer.kind === "edit" && { input: answer.input }),
        ...(answer.kind === "respond" && { responseJson: JSON.stringify(answer.response ?? null) }),
      });
    } catch (error) {
      if (!CountersignError.isInstance(error) || error.status >= 500) throw error;
      if (!overCodes.has(error.code)) refusals.set(approvalId, error.message);
    }
  }
  return refusals;
}

/** Why an answer does not fit this call. In the chat, only agents' questions can be answered with a response. */
function problemOf(answer: ChatAnswer, toolName: string): string | undefined {
  if (answer.kind === "respond") {
    return toolName === requestHumanInputName
      ? undefined
      : "The answer must say whether the call is approved";
  }
  return (answer.reason?.length ?? 0) > maxReason
    ? "The reason must have at most 10,000 characters"
    : undefined;
}
