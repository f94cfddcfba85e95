import { randomBytes } from "node:crypto";
import { z } from "zod";
import { currentRun } from "../agent-hook/inngest-run.js";
import { responseKey } from "../agent-hook/tool-calls.js";
import type { Approval } from "../approval/approval.js";
import { approvalDigest, derivedId } from "../approval/digest.js";
import { plainTerms } from "../approval/plain-terms.js";
import { redact } from "../approval/redact.js";
import { type Refusal, refusalFor, refusalSchema } from "../approval/refusal.js";
import { withPatterns } from "../approval/shown.js";
import { toolInputJson } from "../approval/tool-input.js";
import { CountersignError } from "../errors.js";
import { orchestratorResult } from "../orchestrator/orchestrator.js";
import { type Terms, termsSchema } from "../policy/rule.js";
import { defaultSummary, renderSummary } from "../policy/summary.js";
import { mergeTerms } from "../policy/terms.js";
import type { Runtime } from "../runtime.js";

/** What a plain Inngest function asks a person to approve. */
export interface ApprovalRequest
  extends Pick<
    Terms,
    | "reason"
    | "summary"
    | "risk"
    | "approvers"
    | "requesterMayNotApprove"
    | "quorum"
    | "distinctRoles"
    | "denials"
    | "timeout"
    | "redact"
    | "redactPatterns"
    | "extensions"
    | "delegable"
    | "ladder"
  > {
  /** What is to be done, in a few words that stay the same: `"drop table"`. */
  action: string;
  /** What it is to be done with; shown to the person, covered by the digest. */
  details: Record<string, unknown>;
  tenantId?: string;
  threadId?: string;
  /** Who wants it done, from a verified session. */
  requester?: { id: string; roles?: readonly string[] };
}

export type ApprovalAnswer =
  | { approved: true; approvalId: string }
  | { approved: false; approvalId: string; refusal: Refusal };

/** The step tools that are needed here; those of any Inngest function. */
interface Steps {
  run<T>(id: string, work: () => Promise<T>): Promise<unknown>;
  invoke(id: string, options: { function: Runtime["orchestrator"]; data: unknown }): Promise<unknown>;
}

const answerSchema = z.object({ approvalId: z.string(), refusal: z.custom<Refusal | null>() });

/**
 * The same gate in a plain Inngest function: writes the request, waits durably, and answers. An approval is used up
 * by the answer; what the function does afterwards is its own. Refused at once, without anybody having been asked, where too
 * many calls wait already or the same one does.
 */
export async function requireApproval(
  runtime: Runtime,
  step: unknown,
  request: ApprovalRequest,
): Promise<ApprovalAnswer> {
  const run = await currentRun();
  if (!run) {
    throw new CountersignError(
      "outside_inngest",
      "requireApproval can only wait inside an Inngest function; call it there",
    );
  }
  const steps = step as Steps;
  const { action, details, tenantId, threadId, requester, ...said } = request;
  const terms = termsSchema.safeParse(said);
  const input = toolInputJson(details);
  if (!terms.success || !input.ok || !action) {
    const problem = terms.error?.issues
      .map((issue) => `${issue.path.join(".")}: ${issue.message}`)
      .join("; ");
    const words = problem ?? (input.ok ? "action: must not be empty" : `details: ${input.problem}`);
    throw new CountersignError("invalid_request", `requireApproval: ${words}`);
  }
  const key = responseKey(run.execution, ["requireApproval", action, input.json]);
  const requestId = derivedId("req", run.runId, key);
  const approvalId = derivedId("apr", run.runId, key);
  const resolved = mergeTerms("ask", [terms.data]);
  const redactPatterns = withPatterns(runtime.redactPatterns, resolved.redactPatterns);
  const shown = redact(details, { redact: resolved.redact, redactPatterns });
  const refused = await steps.run(`countersign:propose:${key}`, async () => {
    const subject = {
      tenantId: tenantId ?? runtime.tenantId,
      toolName: action,
      toolVersion: "requireApproval",
      inputJson: input.json,
      policyVersion: runtime.policy.version,
    };
    const written = await runtime.store.propose({
      requestId,
      wakeUpToken: randomBytes(24).toString("base64url"),
      tenantId: subject.tenantId,
      threadId: threadId ?? null,
      runId: run.runId,
      agentName: null,
      requesterId: requester?.id ?? null,
      limits: runtime.limits,
      calls: [
        {
          id: approvalId,
          position: 0,
          toolCallId: key,
          toolName: subject.toolName,
          toolVersion: subject.toolVersion,
          inputJson: subject.inputJson,
          policyVersion: subject.policyVersion,
          digest: approvalDigest(subject),
          inputSchemaJson: null,
          policyContext: {
            principal: requester ? { roles: [], ...requester } : null,
            profile: null,
            mcp: null,
          },
          verdict: "ask",
          reason: resolved.reason,
          summary:
            (resolved.summary && renderSummary(resolved.summary, shown)) || defaultSummary(action, shown),
          risk: resolved.risk,
          approvers: resolved.approvers,
          timeoutMs: resolved.timeoutMs ?? runtime.timeoutMs,
          terms: {
            ...plainTerms,
            quorum: resolved.quorum,
            distinctRoles: resolved.distinctRoles,
            denials: resolved.denials,
            ladder: resolved.ladder,
            redact: resolved.redact,
            redactPatterns,
            requesterMayNotApprove: resolved.requesterMayNotApprove,
            extensions: resolved.extensions,
            delegable: resolved.delegable,
          },
        },
      ],
    });
    const approval = written.find(({ id }) => id === approvalId);
    return (approval && refusalFor(approval)) ?? null;
  });
  const refusal = refusalSchema.nullable().parse(refused);
  if (refusal) return { approved: false, approvalId, refusal };
  const waited = orchestratorResult.parse(
    await steps.invoke(`countersign:await:${key}`, { function: runtime.orchestrator, data: { requestId } }),
  );
  if (!waited.decisions.some((decision) => decision.approvalId === approvalId)) {
    throw new CountersignError("database_failed", `The approval ${approvalId} is gone from the database`);
  }
  const answer = answerSchema.parse(
    await steps.run(`countersign:use:${approvalId}`, async () => {
      const check = (row: Approval) =>
        row.verdict === "ask" && approvalDigest(row) === row.digest ? undefined : ("digest_changed" as const);
      const { store, signer } = runtime;
      const claim = await store.claim(approvalId, "idempotent", check, signer);
      if (claim.outcome === "not_found")
        throw new CountersignError("not_found", `There is no approval ${approvalId}`);
      if (claim.outcome === "refused") {
        const { approval } = claim;
        const refusal = refusalFor(approval);
        // Neither refused nor approved any more: this step used it up before a crash, or somebody wrote so by hand.
        if (refusal || !signer || (await store.startWasProven(approval, signer))) {
          return { approvalId, refusal: refusal ?? null };
        }
        const unproven = { ...approval, status: "withdrawn", withdrawalCause: "evidence_invalid" } as const;
        const data = { approvalId, digest: approval.digest };
        await store.recordNote({ tenantId: approval.tenantId, type: "evidence.refused", data });
        return { approvalId, refusal: refusalFor(unproven) ?? null };
      }
      const outcomeJson = JSON.stringify({ status: "executed", data: "The function went on" });
      await runtime.store.finish(approvalId, { status: "executed", outcomeJson });
      return { approvalId, refusal: null };
    }),
  );
  return answer.refusal
    ? { approved: false, approvalId, refusal: answer.refusal }
    : { approved: true, approvalId };
}
