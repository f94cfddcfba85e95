import type { Evaluation, Policy } from "@countersign/policy/internal/policy/policy";
import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import type { Terms } from "@countersign/policy/internal/policy/rules/terms";
import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type { Approval } from "../../approval/approval.js";
import type { Proposed } from "../../approval/proposed.js";
import { approvalMissing, type Refusal } from "../../approval/refusal-text.js";
import { toolInputJson } from "../../approval/tool-input.js";
import { askedBy } from "../../call/judge/asked-by.js";
import { judge } from "../../call/judge/judge.js";
import { proposedCall } from "../../call/judge/proposed-call.js";
import type { InngestRun } from "../../call/run/inngest-run.js";
import type { Runtime } from "../../call/run/runtime.js";
import type { Subject } from "../../call/run/subject.js";
import type { Counting, Judged } from "../../gate/gate.js";
import { proposeCalls } from "../../gate/propose-calls.js";
import type { Store } from "../../store/store.js";

/** A running call of an MCP server's tool, and for whom it runs. */
export interface RunningCall {
  runtime: Runtime;
  run: InngestRun;
  subject: Subject;
  profile: string | undefined;
  /** The chain of agents that led to the call. */
  agentName: string | null;
  /** The same on every replay. */
  id: string;
}

/** What a server asks. `key` is its own name of the question. */
export interface Question {
  key: string;
  input: { message: string; server: string; tool: string; [field: string]: unknown };
}

/** How a round of questions is asked. */
export interface Asking {
  server: string;
  /** Who may answer, and for how long, where no rule says more. */
  terms: Pick<Terms, "approvers" | "timeout" | "risk">;
  /** For how long the server waits. @default as long as the terms say */
  maxTimeoutMs?: number | undefined;
}

/** A question that was proposed, or why people are not asked. This is a step's output. */
export interface AskedQuestion {
  key: string;
  approvalId: string;
  proposed: Proposed | null;
  refusal: Refusal | null;
}

/**
 * The ids of one round of questions, the same on every replay. People see them. With the installation's secret in them,
 * nobody can test guesses of the call's hidden arguments against them.
 */
export async function idsOfRound(
  { runtime, id }: { runtime: { store: Pick<Store, "nameSecret"> }; id: string },
  round: number,
  keys: readonly string[],
) {
  const requestId = derivedId("req", await runtime.store.nameSecret(), "mcp", id, round);
  return { requestId, approvalIds: keys.map((key) => derivedId("apr", requestId, key)) };
}

/** Writes the questions of a round as one request. The policy decides who may answer each question. */
export async function askPeople(
  call: RunningCall,
  round: number,
  questions: readonly Question[],
  asking: Asking,
): Promise<AskedQuestion[]> {
  const { runtime, run, subject } = call;
  const keys = questions.map(({ key }) => key);
  const { requestId, approvalIds } = await idsOfRound(call, round, keys);
  const outcomes = await proposeCalls(runtime, {
    ...askedBy(runtime, run, subject),
    requestId,
    agentName: call.agentName,
    calls: questions.map(({ input }, position) => ({
      position,
      toolName: requestHumanInputName,
      input,
      judge: (policy, earlier) =>
        judgeQuestion(call, input, policy, asking, { id: approvalIds[position] ?? "", position, earlier }),
    })),
  });
  return outcomes.map((outcome, index) => {
    const asked = { key: keys[index] ?? "", approvalId: approvalIds[index] ?? "" };
    if (outcome.kind === "waits") return { ...asked, proposed: outcome.proposed, refusal: null };
    const refusal = outcome.kind === "refused" ? outcome.refusal : approvalMissing(requestHumanInputName);
    return { ...asked, proposed: null, refusal };
  });
}

/**
 * Evaluates the policy for a question. The server's annotations say nothing about who may answer, so rules do not see
 * them.
 */
function judgeQuestion(
  { runtime, subject, profile }: RunningCall,
  input: Question["input"],
  policy: Policy,
  { server, terms: given, maxTimeoutMs }: Asking,
  { id, position, earlier }: { id: string; position: number; earlier: Approval | undefined },
): Judged | Counting {
  const checked = toolInputJson(input, runtime.limits.argumentBytes);
  if (!checked.ok) {
    const message = `Nobody was asked: ${checked.problem}`;
    return { kind: "refused", refusal: { code: "invalid_input", approvalId: null, message } };
  }
  const asked = {
    toolName: requestHumanInputName,
    input,
    principal: subject.requester,
    thread: subject.threadId === null ? null : { id: subject.threadId, rules: subject.threadRules },
    profile,
    question: { reason: `The MCP server "${server}" asks`, ...given },
  };
  const meaning = ({ kind, terms }: Evaluation): Judged => {
    // Nothing but a person's answer answers a question.
    const verdict = kind === "manual" ? kind : "deny";
    const timeoutAtMostMs = Math.min(...[terms.timeoutAtMostMs, maxTimeoutMs].flatMap((ms) => ms ?? []));
    const describe = () =>
      proposedCall(
        runtime,
        { ...terms, timeoutAtMostMs },
        {
          id,
          position,
          verdict,
          toolName: requestHumanInputName,
          toolVersion: "mcpElicitation",
          inputJson: checked.json,
          policyVersion: policy.version,
          policyContext: {
            principal: subject.requester,
            profile: profile ?? null,
            mcp: { server },
          },
          stored: { decisions: terms.decisions },
        },
      );
    return { kind: "gated", verdict, describe };
  };
  return judge(policy, asked, meaning, earlier);
}
