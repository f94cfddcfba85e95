import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Refusal } from "../../approval/refusal-text.js";
import { currentRun, type InngestRun } from "../../call/run/inngest-run.js";
import { nameOfCalls } from "../../call/run/name-in-run.js";
import { currentScope } from "../../call/run/run-scope.js";
import { approvalOf } from "../../call/tool/handler-kind.js";
import { awaitDecisions } from "../../gate/await-decisions.js";
import { noteRefusal, refusalUnderStop } from "../../gate/refusals.js";
import type { Decided } from "../../orchestrator/decided.js";
import { type AskedQuestion, type Asking, askPeople, idsOfRound, type Question } from "./ask-people.js";
import { type ReadAnswers, readAnswers } from "./read-answers.js";
import { withdrawQuestions } from "./withdraw-questions.js";

/** The questions of one round, and the request under which people answer them. */
export interface AskedRound {
  requestId: string;
  /** In the order of the questions. */
  asked: AskedQuestion[];
}

/** A running call whose tool may ask people something before it ends, in rounds. */
export interface QuestioningCall {
  /** Names the call, the same on every replay. */
  readonly id: string;
  readonly tenantId: string;
  readonly runId: string;
  readonly step: InngestRun["step"];
  /** Maximum size of the call's result. */
  readonly resultBytes: number;
  /** A secret of the installation, to seal what the call keeps. */
  secret(): Promise<string>;
  /** Why the call must not go on; `undefined` if it may. Recorded in the audit log. */
  refusalByStop(): Promise<Refusal | undefined>;
  /** Records in the audit log that the call was refused. */
  noteRefusal(code: Refusal["code"]): Promise<void>;
  /** The ids of a round's questions, which are the same on every replay. */
  approvalIds(round: number, keys: readonly string[]): Promise<string[]>;
  /** Asks a round of questions. Runs inside a step, whose output it is. */
  ask(round: number, questions: readonly Question[], asking: Asking): Promise<AskedRound>;
  /** Withdraws a round that nobody waits for any more. Never fails. */
  withdraw(round: AskedRound): Promise<void>;
  /** Waits until each question of a round was answered or is over. */
  decisions(round: number, asked: AskedRound): Promise<Decided[]>;
  /** What people answered. Runs inside a step. */
  answers(
    questions: readonly Question[],
    asked: readonly AskedQuestion[],
    decisions: readonly Decided[],
  ): Promise<ReadAnswers>;
}

/**
 * The call of a guarded run that has entered the handler of a tool with these arguments.
 *
 * @param options The options of the handler.
 * @throws CountersignError `unguarded_call` or `outside_inngest`
 */
export async function questioningCall(
  toolName: string,
  input: unknown,
  options: object,
): Promise<QuestioningCall> {
  const scope = currentScope();
  const run = await currentRun();
  if (!scope) throw unguarded(toolName);
  if (!run) throw outsideInngest(toolName);
  const { runtime, profile } = scope;
  const subject = scope.subject();
  const key = nameOfCalls(run.execution, "mcp", subject, toolName, input ?? {});
  const id = derivedId("mcp", run.runId, approvalOf(options)?.id ?? "", key);
  const { tenantId } = subject;
  const agentName = scope.agents.join(" → ") || null;
  const call = { runtime, run, subject, profile, agentName, id };
  const place = { tenantId, toolName, runId: run.runId };
  return {
    id,
    tenantId,
    runId: run.runId,
    step: run.step,
    resultBytes: runtime.limits.resultBytes,
    secret: () => runtime.store.nameSecret(),
    refusalByStop: () => refusalUnderStop(runtime, place),
    noteRefusal: (code) => noteRefusal(runtime, place, { code }),
    approvalIds: async (round, keys) => (await idsOfRound(call, round, keys)).approvalIds,
    async ask(round, questions, asking) {
      const asked = await askPeople(call, round, questions, asking);
      const { requestId } = await idsOfRound(call, round, []);
      return { requestId, asked };
    },
    withdraw: ({ requestId }) => withdrawQuestions(runtime, requestId),
    async decisions(round, { requestId, asked }) {
      const waiting = asked.flatMap(({ proposed }) => proposed ?? []);
      if (waiting.length === 0) return [];
      return awaitDecisions(runtime, run.step, `mcp:${id}:${round}`, requestId, waiting);
    },
    answers: (questions, asked, decisions) => readAnswers(runtime, tenantId, { questions, asked, decisions }),
  };
}

function unguarded(toolName: string): CountersignError {
  return new CountersignError(
    "unguarded_call",
    `"${toolName}" was called by an agent that Countersign does not guard, so it did not run. Add countersign.lifecycle() to the agent, or use countersign.guard(agent).`,
  );
}

function outsideInngest(toolName: string): CountersignError {
  return new CountersignError(
    "outside_inngest",
    `"${toolName}" may have to wait for a person, which is only possible inside an Inngest function, so it did not run. Call agent.run() or network.run() from the handler of inngest.createFunction().`,
  );
}
