import { threadRules } from "@countersign/policy/internal/policy/rules/thread-rules";
import { isSameCarried } from "@countersign/policy/internal/shared/canonical-hash";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { RunState, Runtime } from "./runtime.js";
import type { Subject, Subjects } from "./subject.js";

/**
 * The tenant, thread and requester of a run. Each field has its own default. A run that another guarded run started (a
 * sub-agent) inherits the fields that its own context omits.
 */
export interface RunContext {
  /**
   * A sub-agent works for the tenant of the run that started it; naming another one is an error.
   * @default the instance's `tenantId`
   */
  tenantId?: string;
  /** @default the network state's `threadId` */
  threadId?: string;
  /**
   * The person who asked the agent to act, from a verified session. A sub-agent acts for the requester of the run that
   * started it, whoever its own context names, so that nobody approves their own request through another agent.
   * `displayName` is for messages of channels.
   * @default none: the run acts for nobody
   */
  requester?: { id: string; roles?: readonly string[]; displayName?: string };
  /**
   * Rules for this thread alone, in the format of a policy file. They can only tighten. A sub-agent also keeps those of
   * the run that started it.
   * @default none
   */
  threadRules?: readonly unknown[];
}

/** The input for {@link RunContext}. */
export interface ContextInput {
  state: RunState;
  /** Tenant and requester of the run that started this one; `undefined` if no guarded run started it. */
  outer?: Pick<RunContext, "tenantId" | "requester">;
}

/** Resolves the subjects of runs by the state of their networks. */
export function createSubjects(
  defaultTenant: string,
  contextOf: (input: ContextInput) => RunContext = () => ({}),
): Runtime["subjectsFor"] {
  return (state, inherited) => {
    const context = state
      ? checked(
          contextIn(contextOf, { state, ...(inherited && { outer: outerOf(inherited) }) }),
          state.threadId,
        )
      : {};
    return subjectsIn(defaultTenant, context, inherited);
  };
}

/**
 * The subject of a run whose code gives its context itself.
 * @throws CountersignError `invalid_context`, naming the field.
 */
export function subjectGiven(
  defaultTenant: string,
  context: RunContext,
  inherited: Subject | undefined,
): Subject {
  return subjectsIn(defaultTenant, checked(context), inherited).subject;
}

function subjectsIn(defaultTenant: string, context: RunContext, inherited: Subject | undefined): Subjects {
  const given = context.threadRules ?? [];
  const { displayName, ...requester } = context.requester ?? { id: "" };
  const own: Subject = {
    tenantId: context.tenantId ?? defaultTenant,
    threadId: context.threadId ?? null,
    requester: context.requester ? { roles: [], ...requester } : null,
    requesterName: displayName,
    threadRules: threadRules(given),
    threadRulesGiven: given,
  };
  if (!inherited) return { own, subject: own };
  if (context.tenantId !== undefined && context.tenantId !== inherited.tenantId) {
    throw invalidContext(
      "tenantId",
      "differs from that of the run that started this one. A sub-agent works for the tenant of its run; start a separate run for another tenant",
    );
  }
  return {
    own,
    subject: {
      tenantId: inherited.tenantId,
      threadId: own.threadId ?? inherited.threadId,
      requester: requesterOf(inherited.requester, own.requester, context.requester),
      requesterName: inherited.requester ? inherited.requesterName : displayName,
      ...rulesOf(inherited, own),
    },
  };
}

/** A context that requires ids is right to throw. Inside another run, that run's ids apply. */
function contextIn(contextOf: (input: ContextInput) => RunContext, input: ContextInput): RunContext {
  try {
    return contextOf(input);
  } catch (error) {
    if (!input.outer) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CountersignError(
      "invalid_context",
      `context: threw for a run started by another run (${reason}). Return the argument \`outer\` in that case, which describes the other run.`,
      { cause: error },
    );
  }
}

function outerOf({ tenantId, requester }: Subject): NonNullable<ContextInput["outer"]> {
  return { tenantId, ...(requester && { requester }) };
}

/**
 * Keeps the requester of the outer run: otherwise they could approve their own request through a sub-agent. Only their
 * roles may be updated.
 */
function requesterOf(
  outer: Subject["requester"],
  own: Subject["requester"],
  given: RunContext["requester"],
): Subject["requester"] {
  if (!outer) return own;
  return { id: outer.id, roles: (given?.id === outer.id && given.roles) || outer.roles };
}

/** The rules of both: an agent cannot escape its thread's rules by starting another agent. */
function rulesOf(outer: Subject, own: Subject): Pick<Subject, "threadRules" | "threadRulesGiven"> {
  const isKnown = (rule: unknown) => own.threadRulesGiven.some((known) => isSameCarried(known, rule));
  const missing = outer.threadRulesGiven.filter((rule) => !isKnown(rule));
  const threadRulesGiven = [...missing, ...own.threadRulesGiven];
  return {
    threadRules: missing.length === 0 ? own.threadRules : threadRules(threadRulesGiven),
    threadRulesGiven,
  };
}

/** Results of `String()` for missing and non-string values. As an id, each would stand for everyone who lacks one. */
const madeOfNothing = ["undefined", "null", "NaN", "[object Object]"];

/** @throws CountersignError `invalid_context`, naming the field. */
function checked(context: RunContext, ofState?: string): RunContext {
  if (typeof context !== "object" || context === null || "then" in context) {
    throw invalidContext("context", "must return an object, not a promise");
  }
  const threadId = context.threadId ?? (ofState || undefined);
  const ids: [string, unknown][] = [
    ["tenantId", context.tenantId],
    ["threadId", threadId],
    ["requester.id", context.requester ? (context.requester.id ?? "") : undefined],
  ];
  for (const [field, id] of ids) {
    if (id === undefined || id === null) continue;
    if (typeof id !== "string" || id.trim() === "") throw invalidContext(field, "must be a non-empty string");
    if (madeOfNothing.includes(id)) {
      throw invalidContext(
        field,
        `is the text "${id}", the result of String() for a missing value. Throw if the state has no id, or omit the field`,
      );
    }
  }
  return { ...context, ...(threadId !== undefined && { threadId }) };
}

function invalidContext(field: string, problem: string): CountersignError {
  return new CountersignError("invalid_context", `context: ${field} ${problem}.`, { detail: { field } });
}
