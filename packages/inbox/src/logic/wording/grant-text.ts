import { budgetText } from "@countersign/policy/display";
import type { Grant } from "../../api/records.js";
import { words } from "../../words/words.js";
import { kindOfCall } from "./call-name.js";

/** Describes a grant. */
export function grantText(grant: Grant): {
  covers: string;
  uses: string;
  budget: string | null;
  state: string;
} {
  const { scope, scopeId, usesTaken, usesLeft, budget, status, revokedBy } = grant;
  const texts = words.grantTerms;
  const who = {
    thread: texts.inThread,
    user: scopeId === null ? texts.forOnePerson : texts.forUser(scopeId),
    team: texts.forTeam,
  }[scope];
  const used = texts.used(usesTaken);
  return {
    covers: `${coveredCalls(grant)}, ${who}`,
    uses: usesLeft === null ? used : texts.usesLeft(used, usesLeft),
    budget: budget && budgetText(budget, words.display),
    state: status === "revoked" && revokedBy ? texts.revokedBy(revokedBy) : texts.states[status],
  };
}

function coveredCalls(grant: Grant): string {
  const { rerun, arguments: given } = grant;
  const texts = words.grantTerms;
  const kind = kindOfCall(grant);
  if (rerun) return texts.rerun(kind);
  if (given === "exact") return texts.exact(kind);
  return given === "any" ? texts.any(kind) : texts.matching(kind);
}
