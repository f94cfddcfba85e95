import type { ApprovalsApiError } from "countersign/client";
import { words } from "../../words/words.js";
import { isRecord } from "../arguments/paths.js";
import { approversText } from "./rule-text.js";

/** Why an edit is not allowed, and what to do. A server that does not say who must approve says it in its words. */
export function editRefusalText({ problem }: Pick<ApprovalsApiError, "problem">): string {
  const { detail, verdict, approvers, quorum, reason } = problem;
  const texts = words.errors.edit;
  if (verdict === "deny") return texts.forbidden;
  if (!isRecord(approvers) || !isNames(approvers.roles) || !isNames(approvers.ids)) return detail;
  const isForSeveral = typeof quorum === "number" && quorum > 1;
  const { roles, ids } = approvers;
  const who = isForSeveral
    ? texts.people(quorum, [...roles, ...ids].join(", "))
    : approversText({ roles, ids }, texts.someoneElse);
  return texts.needsOthers(who, typeof reason === "string" ? reason : "");
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
