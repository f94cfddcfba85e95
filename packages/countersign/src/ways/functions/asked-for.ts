import { ruleReasons } from "@countersign/policy/internal/policy/rules/added-terms";
import { mergeTerms, tooFewRoles } from "@countersign/policy/internal/policy/rules/merge-terms";
import type { ResolvedTerms } from "@countersign/policy/internal/policy/rules/term-table";
import { termsSchema } from "@countersign/policy/internal/policy/rules/terms";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import type { ApprovalTerms } from "../../approval/approval.js";
import { toolInputJson } from "../../approval/tool-input.js";
import { currentScope } from "../../call/run/run-scope.js";
import type { Runtime } from "../../call/run/runtime.js";
import type { Preview } from "../../previews/preview.js";
import type { ApprovalRequest } from "./approval-request.js";

/** A validated request of a plain function. Its terms act as the policy for this call. */
export interface AskedFor {
  action: string;
  inputJson: string;
  tenantId: string;
  threadId: string | null;
  requester: { id: string; roles: readonly string[] } | null;
  requesterName: string | undefined;
  terms: ResolvedTerms;
  reasons: ApprovalTerms["reasons"];
  preview: Preview | undefined;
}

/** @throws CountersignError `invalid_request`, naming the field. */
export function askedFor(runtime: Pick<Runtime, "limits" | "tenantId">, request: ApprovalRequest): AskedFor {
  // Inside a tool handler, the request is on behalf of the agent's requester.
  const around = currentScope()?.subject();
  const {
    action,
    details,
    preview,
    tenantId = around?.tenantId,
    threadId = around?.threadId,
    requester: asking = around?.requester && { ...around.requester, displayName: around.requesterName },
    ...options
  } = request;
  const given = termsSchema.safeParse(options);
  const input = toolInputJson(details, runtime.limits.argumentBytes);
  const isWrong = preview !== undefined && typeof preview !== "function";
  if (!given.success || !input.ok || !action || isWrong) {
    const problem = isWrong
      ? "preview: must be a function"
      : given.error && zodProblems(given.error).join("; ");
    const text = problem ?? (input.ok ? "action: must not be empty" : `details: ${input.problem}`);
    throw new CountersignError("invalid_request", `requireApproval: ${text}`);
  }
  if (given.data.requesterMayNotApprove && !asking) {
    throw new CountersignError(
      "invalid_request",
      "requireApproval: requester: is required with requesterMayNotApprove; set it to the person on whose behalf the function runs",
    );
  }
  const terms = mergeTerms("ask", [given.data]);
  if (tooFewRoles(terms)) {
    throw new CountersignError(
      "invalid_request",
      `requireApproval: quorum: ${terms.quorum} approvals require as many different roles, but approvers has ${terms.approvers.roles.length}; add roles or lower the quorum`,
    );
  }
  const { displayName: requesterName, ...requester } = asking ?? { id: "" };
  return {
    action,
    inputJson: input.json,
    tenantId: tenantId ?? runtime.tenantId,
    threadId: threadId ?? null,
    requester: asking ? { roles: [], ...requester } : null,
    requesterName,
    terms,
    preview,
    reasons: ruleReasons([{ id: "requireApproval", terms: given.data }], terms),
  };
}
