import type { Countersign } from "../instance/countersign.js";
import { requestHumanInputName } from "../policy/rules/question-rule.js";
import { CountersignError } from "../shared/errors.js";
import type { Principal } from "../shared/principal.js";
import { storeVerbs } from "../store/store.js";

/** A person's answer in the chat, with the digest that came back untouched; `null` if it is missing. */
export type ChatAnswer = { approvalId: string; digest: string | null } & (
  | { kind: "approve"; reason: string | null }
  | { kind: "deny"; reason: string | null }
  | { kind: "edit"; input: unknown; reason: string | null }
  | { kind: "respond"; response: unknown }
);

const noDigest = "The chat did not send back which version of the call it showed";
const maxReason = 10_000;

/** Errors that say that the call is over: the stream shows how. */
const overCodes = new Set<string>(["already_decided", "expired", "withdrawn", "not_open"]);

/**
 * Records what a person answered in the chat. From the client come the approval's id, the digest, the verdict and the
 * reason; each is checked as in the inbox.
 *
 * @returns why an answer was not recorded, by approval. A call that is over has none.
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
    // An approval of another conversation was not shown in this one. Those that are over were answered before.
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

/** Why an answer is not one to this call. Only the agent's questions are answered with a response in the chat. */
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
