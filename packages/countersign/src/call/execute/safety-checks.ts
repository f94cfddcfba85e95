import type { Hiding } from "@countersign/policy/internal/redaction/redact";
import { runChecks } from "@countersign/policy/internal/safety-checks/run-checks";
import type {
  CheckContext,
  CheckResult,
  SafetyCheck,
} from "@countersign/policy/internal/safety-checks/safety-check";
import type { Approval } from "../../approval/approval.js";
import { checkFailed, type Refusal } from "../../approval/refusal-text.js";
import { visibleOutcome } from "../../approval/visible-arguments.js";
import type { Objection } from "../../store/ports/approval-port.js";
import type { ProposedCall } from "../../store/ports/request-port.js";
import type { ExecutionRuntime } from "../run/runtime.js";

/** For whom a call is checked. */
type CheckedFor = Pick<CheckContext, "tenantId" | "threadId" | "requester">;

/**
 * A call to propose, with the results of its checks, which people see when they decide.
 *
 * @param known Results that an earlier attempt of the step saved. @default the checks run
 */
export async function withCheckResults(
  runtime: Pick<ExecutionRuntime, "logger">,
  call: ProposedCall,
  subject: CheckedFor,
  checks: readonly SafetyCheck[],
  known?: CheckResult[],
): Promise<ProposedCall> {
  if (checks.length === 0 && !known) return call;
  const at = { moment: "proposal", approvalId: null } as const;
  const results = known ?? (await run(runtime, checks, call, subject, at));
  return { ...call, terms: { ...call.terms, checks: results } };
}

/** The results for a call that is about to start, and the arguments that were checked. */
export interface StartChecks {
  inputJson: string;
  checks: readonly SafetyCheck[];
  /** The policy whose checks they are. */
  policyVersion: string;
  results: CheckResult[];
}

/** Runs the checks of an approved call before it is claimed, because no transaction may wait for a host's code. */
export async function checksAtStart(
  runtime: Pick<ExecutionRuntime, "logger" | "policy">,
  checks: readonly SafetyCheck[],
  approval: Approval,
  subject: CheckedFor,
): Promise<StartChecks> {
  const { id: approvalId, toolName, terms } = approval;
  const inputJson = argumentsOf(approval);
  const at = { moment: "start", approvalId } as const;
  const policyVersion = runtime.policy.version;
  const results = await run(runtime, checks, { toolName, inputJson, terms }, subject, at);
  return { inputJson, checks, policyVersion, results };
}

/** The results for a call that needs no approval. It has no rule that hides anything. */
export function checksOfAllowedCall(
  { logger, redactPatterns }: Pick<ExecutionRuntime, "logger" | "redactPatterns">,
  checks: readonly SafetyCheck[],
  call: { toolName: string; inputJson: string },
  subject: CheckedFor,
): Promise<CheckResult[]> {
  const at = { moment: "start", approvalId: null } as const;
  const terms = { redact: [], redactPatterns: [...redactPatterns] };
  return run({ logger }, checks, { ...call, terms }, subject, at);
}

/** The arguments that run: as a person edited them, or as proposed. */
export function argumentsOf({ edited, inputJson }: Pick<Approval, "edited" | "inputJson">): string {
  return edited?.inputJson ?? inputJson;
}

function run(
  { logger }: Pick<ExecutionRuntime, "logger">,
  checks: readonly SafetyCheck[],
  { toolName, inputJson, terms }: { toolName: string; inputJson: string; terms: Hiding },
  { tenantId, threadId, requester }: CheckedFor,
  at: Pick<CheckContext, "moment" | "approvalId">,
): Promise<CheckResult[]> {
  const context = { ...at, toolName, tenantId, threadId, requester };
  const hide = (message: string) => String(visibleOutcome(message, [JSON.parse(inputJson)], terms));
  return runChecks(checks, { inputJson, context, hide, logger });
}

/**
 * Why a call must not start according to its checks. Each check that it has now must have run with exactly the arguments
 * in the row. A call that has started before is not checked again.
 *
 * @param policyVersion The policy that has the checks. A rule may return a new function for each call, so within one
 * policy a check is known by its name; another policy may give the name to another function.
 */
export function checksObjection(
  ran: StartChecks | undefined,
  approval: Approval,
  checks: readonly SafetyCheck[],
  policyVersion: string,
): Objection | undefined {
  if (checks.length === 0 || approval.status !== "approved") return undefined;
  if (ran && ran.inputJson !== argumentsOf(approval)) return { cause: "digest_changed" };
  const isSame = ran?.policyVersion === policyVersion;
  const missing = checks.find(
    ({ name, run }) => !ran?.checks.some((known) => known.name === name && (isSame || known.run === run)),
  );
  if (missing) return { cause: "policy_changed", field: missing.name };
  const failed = failedIn(ran?.results);
  return failed && { cause: "check_failed", field: failed.name };
}

/** The refusal of a call that a check has just withdrawn, in the check's own words. */
export function refusalByChecks(ran: StartChecks | undefined, approval: Approval): Refusal | undefined {
  const failed = failedIn(ran?.results);
  return failed && approval.withdrawalCause === "check_failed" ? checkFailed(approval, failed) : undefined;
}

/** The first check that failed. */
export function failedIn(results: readonly CheckResult[] | undefined): CheckResult | undefined {
  return results?.find(({ ok }) => !ok);
}
