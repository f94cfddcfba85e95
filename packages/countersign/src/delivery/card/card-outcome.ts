import { summaryText } from "@countersign/policy/internal/display/summary-part";
import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { withdrawalText } from "@countersign/policy/internal/display/withdrawal-text";
import type { Approval } from "../../approval/approval.js";
import { callSummary } from "../../approval/call-summary.js";
import type { CardOutcome, CardVote } from "../../channel/channel.js";
import { listed, type NameOf } from "./card-people.js";
import { undoWords } from "./card-undo.js";

const maxId = 120;
const maxReason = 1_000;

/**
 * The decision and the outcome of the call: "Approved by Ada. It ran". `null` while nothing has happened.
 *
 * @param undo The latest call that undoes it.
 */
export function cardOutcome(
  approval: Approval,
  nameOf: NameOf,
  undo: Approval | null = null,
): CardOutcome | null {
  const { decision } = approval;
  const votes = votesOn(approval, nameOf);
  const by = listed(
    votes.filter(({ type }) => type === decision?.type).map(({ name }) => name),
    "and",
  );
  const { proposed } = callSummary(approval);
  const sentences = [
    decisionWords(approval, by, nameOf),
    proposed === null ? "" : `Requested: ${summaryText(proposed.parts)}`,
    endWords(approval),
    undoWords(undo, approval.undoneAt, nameOf),
  ].filter((words) => words !== "");
  const [last] = approval.votes.slice(-1);
  const at =
    approval.undoneAt ??
    approval.resolution?.resolvedAt ??
    approval.finishedAt ??
    approval.startedAt ??
    decision?.decidedAt;
  if (sentences.length === 0) {
    return last
      ? {
          text: votesWords(approval, votes),
          decidedBy: null,
          by: null,
          votes,
          reason: null,
          at: last.votedAt,
        }
      : null;
  }
  return {
    text: sentences.join(". "),
    decidedBy: decision?.decidedBy == null ? null : visibleText(decision.decidedBy, maxId),
    by: by === "" ? null : by,
    votes,
    reason: decision?.reason ? visibleText(decision.reason, maxReason) : null,
    at: at ?? approval.expiresAt ?? approval.createdAt,
  };
}

/** The decisions of all people. Where one person decides, there is no vote but their decision. */
function votesOn({ votes, decision, grantId }: Approval, nameOf: NameOf): CardVote[] {
  const cast = votes.map(({ principalId: id, type }) => ({ id, type }));
  const alone =
    decision?.decidedBy != null &&
    grantId === null &&
    !cast.some(({ id, type }) => id === decision.decidedBy && type === decision.type)
      ? [{ id: decision.decidedBy, type: decision.type }]
      : [];
  return [...cast, ...alone].map(({ id, type }) => ({ id: visibleText(id, maxId), name: nameOf(id), type }));
}

function decisionWords({ decision, grantId, status }: Approval, by: string, nameOf: NameOf): string {
  if (!decision) return status === "expired" ? "Expired before anyone decided" : "";
  const { type, decidedBy } = decision;
  if (grantId !== null)
    return `Allowed by a grant of ${decidedBy === null ? "the policy" : nameOf(decidedBy)}`;
  if (decidedBy === null) return type === "approve" ? "Allowed by the policy" : "Denied by the policy";
  switch (type) {
    case "approve":
      return `Approved by ${by}`;
    case "edit":
      return `Approved with changes by ${by}`;
    case "deny":
      return `Denied by ${by}`;
    case "respond":
      return `Answered by ${by}`;
  }
}

function endWords({ status, decision, withdrawalCause, resolution, runId }: Approval): string {
  switch (status) {
    case "executing":
      return "It is running";
    case "executed":
      return "It ran";
    case "failed":
      return "It ran and failed";
    case "interrupted":
      return resolution
        ? `It was interrupted. ${resolved[resolution.outcome]}`
        : "It was interrupted and may have run";
    case "expired":
      return decision ? "The run never started it, so it expired" : "It did not run";
    case "withdrawn":
      // A call of a program outside of a run can only be withdrawn by that program.
      if (withdrawalCause === "run_cancelled" && runId === null)
        return "Withdrawn by the program that requested it";
      return `Withdrawn: ${withdrawalText[withdrawalCause ?? "orchestration_failed"]}`;
    default:
      return "";
  }
}

const resolved = {
  done: "A person found that it ran",
  failed: "A person found that it did not run",
  rerun: "A person allowed one more run",
} as const;

function votesWords({ terms }: Approval, votes: readonly CardVote[]): string {
  const of = (wanted: "approve" | "deny") =>
    votes.filter(({ type }) => type === wanted).map(({ name }) => name);
  const [approved, denied] = [of("approve"), of("deny")];
  const words = [`${approved.length} of ${terms.quorum} approved${inBrackets(approved)}`];
  if (denied.length > 0) words.push(`${denied.length} of ${terms.denials} denied${inBrackets(denied)}`);
  return words.join("; ");
}

function inBrackets(names: readonly string[]): string {
  return names.length > 0 ? ` (${listed(names, "and")})` : "";
}
