import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval, Countersign } from "countersign";
import { storeVerbs } from "countersign/internal";
import { type ChatAnswer, responseJsonOf } from "./chat-answer.js";
import { tooLate } from "./too-late.js";

const noDigest = "The chat did not return the digest of the call that it showed";
const maxReason = 10_000;

/** Codes of errors about calls that are over. */
const overCodes = new Set<string>(["already_decided", "expired", "withdrawn", "not_open"]);

/**
 * Records the answers of a person in the chat. The client sends the approval's id, the digest, the verdict and the
 * reason. Each is checked as in the inbox.
 *
 * @returns Why answers were not recorded, by approval id. An answer that says what was decided anyway is not included.
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
  const verbs = storeVerbs(store);
  const refuse = (approvalId: string, problem: string | undefined) => {
    if (problem !== undefined) refusals.set(approvalId, problem);
  };
  for (const answer of answers) {
    const { approvalId } = answer;
    const approval = await verbs.getApproval(principal.tenantId, approvalId);
    // Approvals of another conversation were not shown in this one.
    if (approval?.threadId !== threadId || approval.status === "proposed") continue;
    if (approval.status !== "pending" && !isOwnEdit(answer, approval, principal)) {
      refuse(approvalId, tooLate(answer, approval, principal));
      continue;
    }
    const problem = problemOf(answer, approval.toolName);
    if (problem !== undefined || answer.digest === null) {
      refuse(approvalId, `${problem ?? noDigest}. Nothing was decided`);
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
        ...(answer.kind === "respond" && { responseJson: responseJsonOf(answer) }),
      });
    } catch (error) {
      if (!CountersignError.isInstance(error) || error.status >= 500) throw error;
      const isOver = overCodes.has(error.code);
      const now = isOver ? await verbs.getApproval(principal.tenantId, approvalId) : undefined;
      refuse(approvalId, now ? tooLate(answer, now, principal) : error.message);
    }
  }
  return refusals;
}

/** Whether a person edits a call again that they have edited. `decide` compares the arguments. */
function isOwnEdit({ kind }: ChatAnswer, { decision }: Approval, { id }: Principal): boolean {
  return kind === "edit" && decision?.type === "edit" && decision.decidedBy === id;
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
