import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { GetStepTools, Inngest } from "inngest";
import * as z from "zod";
import { approvalMissing, type Refusal, refusalSchema } from "../../approval/refusal-text.js";
import { requestIdOf } from "../../call/judge/request-id.js";
import { currentRun } from "../../call/run/inngest-run.js";
import { nameOfCalls } from "../../call/run/name-in-run.js";
import { refusalInPlainHandler } from "../../call/run/plain-handler.js";
import type { Runtime } from "../../call/run/runtime.js";
import { awaitDecisions } from "../../gate/await-decisions.js";
import type { ApprovalRequest } from "./approval-request.js";
import { askedFor } from "./asked-for.js";
import { proposeRequest } from "./propose-request.js";
import { useApproval } from "./use-approval.js";

export type ApprovalAnswer =
  | { approved: true; approvalId: string }
  | { approved: false; approvalId: string; refusal: Refusal };

/** The required step tools, as in any Inngest function or tool handler. */
export type ApprovalSteps = Pick<GetStepTools<Inngest.Any>, "run" | "invoke">;

const answerSchema = z.object({ approvalId: z.string(), refusal: z.custom<Refusal | null>() });

/** The result of the proposing step. */
const proposedSchema = z.object({
  requestId: z.string(),
  approvalId: z.string(),
  /** `null` if nobody was asked. */
  proposed: z
    .object({ digest: z.string(), at: z.number(), signed: z.boolean(), deadlineMs: z.number() })
    .nullable(),
  refusal: refusalSchema.nullable(),
});

/**
 * The same gate for a plain Inngest function: writes the request, waits durably, and returns the decision. Returning
 * it consumes the approval; the function then performs the action itself. Refused immediately, without asking anyone,
 * if too many calls or the same call are already waiting for approval.
 */
export async function requireApproval(
  runtime: Runtime,
  steps: ApprovalSteps,
  request: ApprovalRequest,
): Promise<ApprovalAnswer> {
  const run = await currentRun();
  if (!run) {
    throw (
      refusalInPlainHandler("called requireApproval") ??
      new CountersignError("outside_inngest", "requireApproval can only wait inside an Inngest function")
    );
  }
  const asked = askedFor(runtime, request);
  const { action, inputJson } = asked;
  const key = nameOfCalls(run.execution, "requireApproval", asked, action, JSON.parse(inputJson));
  const { requestId, approvalId, proposed, refusal } = proposedSchema.parse(
    await steps.run(`countersign:propose:${key}`, async () =>
      proposeRequest(runtime, asked, await requestIdOf(runtime, run.runId, key), run),
    ),
  );
  if (refusal || !proposed) {
    return { approved: false, approvalId, refusal: refusal ?? approvalMissing(action, approvalId) };
  }
  const decisions = await awaitDecisions(runtime, steps, key, requestId, [proposed]);
  if (!decisions.some((decision) => decision.approvalId === approvalId)) {
    throw new CountersignError("database_failed", `The approval ${approvalId} is missing from the database`);
  }
  const answer = answerSchema.parse(
    await steps.run(`countersign:use:${approvalId}`, () => useApproval(runtime, asked, approvalId, proposed)),
  );
  return answer.refusal
    ? { approved: false, approvalId, refusal: answer.refusal }
    : { approved: true, approvalId };
}
