import { Agent, Network, type State, type StateData } from "@inngest/agent-kit";
import type { Inngest, InngestFunction } from "inngest";
import { guardAgent, guardNetwork } from "./agent-hook/guard.js";
import { composeLifecycle } from "./agent-hook/lifecycle.js";
import type { Approval } from "./approval/approval.js";
import { isRedactPattern, redactPatternNames } from "./approval/redact-patterns.js";
import { mayDecide, maySee } from "./approval/who-decides.js";
import { crashPoint } from "./crash-point.js";
import { checkEdit, editedCall } from "./decision/check-edit.js";
import { approvalOrError, wakeUpOf } from "./decision/decision-result.js";
import { type Limits, limitsOf } from "./decision/limits.js";
import { createPeople, type People } from "./decision/people.js";
import { durationMs } from "./duration.js";
import { CountersignError } from "./errors.js";
import { createEvidenceSigner } from "./evidence/evidence-signer.js";
import type { SigningKey } from "./evidence/signing-key.js";
import { checkGrant, invalidGrant, newGrant } from "./grants/check-grant.js";
import type { GrantRequest } from "./grants/grant-request.js";
import { type CountersignHistory, createHistory } from "./history/history.js";
import { createThreads, type Threads } from "./history/threads.js";
import { sendNotified, sendResolved } from "./orchestrator/notify.js";
import { createOrchestrator } from "./orchestrator/orchestrator.js";
import { createRelay } from "./orchestrator/relay.js";
import { sendWakeUps } from "./orchestrator/wake.js";
import { createWithdrawal } from "./orchestrator/withdraw.js";
import { didYouMean } from "./policy/did-you-mean.js";
import type { Policy } from "./policy/policy.js";
import { threadRules } from "./policy/thread-rules.js";
import { withoutThrows } from "./policy/without-throws.js";
import type { Principal } from "./principal.js";
import { checkAnswer } from "./questions/answer.js";
import { requestHumanInput } from "./questions/request-human-input.js";
import { type ApprovalAnswer, type ApprovalRequest, requireApproval } from "./questions/require-approval.js";
import type { PersonsDecision, Runtime, Subject } from "./runtime.js";
import type { DecideInput, Store } from "./store/store.js";

/** What a run tells about itself; each field left out has the default that stands beside it. */
export interface RunContext {
  /** Left out: the instance's `tenantId`. */
  tenantId?: string;
  /** Left out: the network state's `threadId`. */
  threadId?: string;
  /** Who asked the agent to act, from a verified session. Left out: nobody in particular. */
  requester?: { id: string; roles?: readonly string[] };
  /** Rules for this thread alone, as a policy file has them; they can only tighten. */
  threadRules?: readonly unknown[];
}

export interface CountersignOptions {
  /** The Inngest client of the app that runs the agents. */
  inngest: Inngest.Any;
  /** `postgresStore(…)` or `pgliteStore(…)`. */
  store: Store;
  /** What may run, what needs a person, what is forbidden. */
  policy: Policy;
  /** A candidate that is evaluated beside `policy`; where they differ, an audit entry says so. It decides nothing. */
  shadowPolicy?: Policy;
  /** With `"on-new-message"`, a new message in a thread withdraws the calls of it that wait; `"never"` where left out. */
  supersede?: "never" | "on-new-message";
  /** Names or globs of tools whose handlers use steps and that you cannot wrap in `durable()`: Inngest functions. */
  durableTools?: readonly string[];
  /** How long people have to decide, from one second to 365 days; 30 minutes where left out. */
  timeout?: string;
  /**
   * What is hidden in every call where people or other systems read, beside what rules hide: `"card_number"`,
   * `"email"`, `"iban"`, `"bearer_token"`, `"jwt"` or regular expressions.
   */
  redactPatterns?: readonly string[];
  /** How many calls may wait for people, and after how many denials a run stops asking. */
  limits?: Limits;
  /** Tenant of runs that name none; `"default"` where left out. */
  tenantId?: string;
  /**
   * Secret that signs each decision of a person: a call then only starts against the signed proof of its decision, so
   * that nobody who can merely write to the database starts one. At least 32 bytes, or `{ current, previous, ttl }`
   * to change keys. Left out, the row in the database is enough.
   */
  signingKey?: SigningKey;
  /** Reads from a network's state for whom it works. Called on every replay: keep it pure. */
  context?: (args: { state: State<StateData> }) => RunContext;
}

/** Which of the policy's profiles an agent is bound to; the model can neither see nor choose it. */
export interface ProfileBinding {
  profile?: string;
}

/** One instance: the hook for agents, the functions for Inngest, the history, and what the API needs. */
export interface Countersign extends People {
  /** Add to `serve({ functions: [...countersign.functions, yours] })`. */
  readonly functions: InngestFunction.Any[];
  readonly store: Store;
  /** For `createNetwork({ history })` or `createAgent({ history })`. */
  readonly history: CountersignHistory;
  /** Threads as hosts open and read them for a signed-in principal. */
  readonly threads: Threads;
  /** Records a decision of a verified principal and wakes the run. */
  readonly decide: Runtime["decide"];
  /**
   * Checks changed arguments of a call as an edit would be checked, and decides nothing.
   * @throws CountersignError `invalid_edit` naming the fields, or `edit_not_allowed`.
   */
  checkEdit(edit: EditToCheck): { inputJson: string; digest: string };
  readonly policy: Policy;
  /** Hooks for `createAgent({ lifecycle })`; your own are called as well. */
  lifecycle<T extends StateData>(
    own?: Agent.Lifecycle<T>,
    binding?: ProfileBinding,
  ): Required<Pick<Agent.Lifecycle<T>, "onStart" | "onResponse" | "onFinish">> & Agent.Lifecycle<T>;
  /** The tool `request_human_input`, by which an agent asks a person. */
  requestHumanInput: typeof requestHumanInput;
  /**
   * The same gate in a plain Inngest function.
   * @throws CountersignError `invalid_request` naming the field, `outside_inngest` outside a function.
   */
  requireApproval(step: object, request: ApprovalRequest): Promise<ApprovalAnswer>;
  /** Guards an agent, or a network with all its agents, in place, and returns it. */
  guard<G extends object>(agentOrNetwork: G, binding?: ProfileBinding): G;
}

/** Changed arguments, and who would change them. */
export interface EditToCheck {
  approval: Approval;
  principal: Principal;
  input: unknown;
  /** Whether this person sees what rules hide. */
  seesEverything: boolean;
}

const shortestTimeoutMs = 1000;
const longestTimeoutMs = 365 * 86_400_000;

/**
 * Makes a Countersign instance.
 *
 * @throws CountersignError `invalid_option`, naming the option and the fix.
 *
 * @example
 * ```ts
 * import { Inngest } from "inngest";
 * import { ask, createCountersign, definePolicy } from "countersign";
 * import { pgliteStore } from "countersign/pglite";
 *
 * const inngest = new Inngest({ id: "support" });
 * export const countersign = createCountersign({
 *   inngest,
 *   store: pgliteStore(),
 *   policy: definePolicy({ tools: { issue_refund: ask() } }),
 *   timeout: "30m",
 * });
 * ```
 */
export function createCountersign(options: CountersignOptions): Countersign {
  const { inngest, store } = options;
  const policy = withoutThrows(options.policy);
  const tenantId = options.tenantId ?? "default";
  const timeoutMs = timeoutOf(options.timeout ?? "30m");
  const signer = options.signingKey === undefined ? undefined : createEvidenceSigner(options.signingKey);
  const orchestrator = createOrchestrator(inngest, store);

  const subjectOfState = (state: State<StateData> | undefined): Subject => {
    const context = state && options.context ? options.context({ state }) : {};
    return {
      tenantId: context.tenantId ?? tenantId,
      threadId: context.threadId ?? state?.threadId ?? null,
      requester: context.requester ? { roles: [], ...context.requester } : null,
      threadRules: threadRules(context.threadRules ?? []),
      threadRulesGiven: context.threadRules ?? [],
    };
  };

  const decide: Runtime["decide"] = async (asked) => {
    const { input: edited, grant, seesEverything = false, ...decision } = asked;
    const checked = await audited(store, decision, async () => ({
      ...(await checkReplacement(store, policy, decision, { input: edited, seesEverything })),
      ...(grant === undefined ? {} : await checkedGrant(store, decision, grant)),
    }));
    crashPoint("before-decision");
    const result = await store.decide({ ...decision, ...checked }, signer);
    if (result.outcome === "decided") crashPoint("after-decision");
    await sendWakeUps(inngest, wakeUpOf(result));
    if (result.outcome === "decided") crashPoint("after-wake-up");
    return approvalOrError(result);
  };

  const runtime: Runtime = {
    store,
    policy,
    shadowPolicy: options.shadowPolicy && withoutThrows(options.shadowPolicy),
    signer,
    tenantId,
    timeoutMs,
    redactPatterns: redactPatternsOf(options.redactPatterns ?? []),
    durableTools: options.durableTools ?? [],
    limits: limitsOf(options.limits),
    supersede: options.supersede ?? "never",
    orchestrator,
    tickets: new WeakMap(),
    inFlight: new Map(),
    subjectOfState,
    decide,
    wake: (wakeUps) => sendWakeUps(inngest, wakeUps),
    tellNotified: (approvals) => sendNotified(inngest, approvals),
  };

  return {
    functions: [orchestrator, createRelay(inngest, store), createWithdrawal(inngest, store)],
    store,
    decide,
    ...createPeople(store, {
      wake: runtime.wake,
      tellResolved: (approval) => sendResolved(inngest, approval),
    }),
    policy,
    checkEdit: ({ approval, principal, input, seesEverything }) =>
      checkEdit(policy, approval, principal, input, seesEverything),
    history: createHistory(runtime),
    threads: createThreads(runtime),
    lifecycle: (own, { profile } = {}) => composeLifecycle(runtime, own, knownProfile(policy, profile)),
    requestHumanInput,
    requireApproval: (step, request) => requireApproval(runtime, step, request),
    guard: (agentOrNetwork, options = {}) => {
      const profile = knownProfile(policy, options.profile);
      if (agentOrNetwork instanceof Network) guardNetwork(runtime, agentOrNetwork, profile);
      else if (agentOrNetwork instanceof Agent) guardAgent(runtime, agentOrNetwork, profile);
      else throw new CountersignError("invalid_option", "guard() takes an AgentKit agent or network");
      return agentOrNetwork;
    },
  };
}

type DecisionAlone = Omit<PersonsDecision, "input" | "grant" | "seesEverything">;

/** A check of what goes with a decision; what it refuses is in the audit log like what the store refuses. */
async function audited<T>(
  store: Store,
  { approvalId, principal, type, digest }: DecisionAlone,
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (CountersignError.isInstance(error) && error.code !== "database_failed") {
      const { code } = error;
      await store.recordRefusal({ attempt: "decision", approvalId, principal, type, digest, code });
    }
    throw error;
  }
}

/**
 * What a person puts in place of something, checked: changed arguments, an answer. What makes a decision impossible
 * for other reasons (no such call, decided already, expired …) is left to the store, which tells of it more truly.
 */
async function checkReplacement(
  store: Store,
  policy: Policy,
  decision: DecisionAlone,
  replacement: { input: unknown; seesEverything: boolean },
): Promise<Pick<DecideInput, "edited">> {
  const { approvalId, principal, digest, type } = decision;
  if (type !== "edit" && type !== "respond") return {};
  const approval = await store.getApproval(principal.tenantId, approvalId);
  const { input, seesEverything } = replacement;
  // Their own edit once more, since its answer got lost: only what it says counts, which the store compares.
  if (
    approval?.decision?.type === "edit" &&
    approval.decision.decidedBy === principal.id &&
    type === "edit"
  ) {
    return { edited: editedCall(approval, input, seesEverything) };
  }
  const decidable =
    approval?.status === "pending" &&
    approval.digest === digest &&
    mayDecide(approval, principal) &&
    approval.terms.decisions.includes(type);
  if (!decidable) return {};
  if (type === "edit") {
    return { edited: checkEdit(policy, approval, principal, input, seesEverything) };
  }
  checkAnswer(approval, JSON.parse(decision.responseJson ?? "null"));
  return {};
}

/**
 * The grant that goes with a decision, checked. As above, what makes the decision itself impossible is left to the
 * store.
 */
async function checkedGrant(
  store: Store,
  decision: DecisionAlone,
  request: GrantRequest,
): Promise<Pick<DecideInput, "grant">> {
  const { approvalId, principal, digest, type } = decision;
  if (type !== "approve") throw invalidGrant("grant", 'is only possible with the type "approve"');
  const approval = await store.getApproval(principal.tenantId, approvalId);
  if (!approval || !maySee(approval, principal)) return {};
  const grant = newGrant(request, approval);
  const decidable =
    approval.status === "pending" && approval.digest === digest && mayDecide(approval, principal);
  const own = approval.terms.requesterMayNotApprove && approval.requesterId === principal.id;
  if (decidable && !own) checkGrant(grant, approval, principal);
  return { grant };
}

function knownProfile(policy: Policy, profile: string | undefined): string | undefined {
  // A policy that could not be read refuses every call anyway, and may know the profile once it is mended.
  const unread = "status" in policy && policy.status === "refusing";
  if (profile === undefined || unread || policy.profiles.includes(profile)) return profile;
  throw new CountersignError(
    "invalid_option",
    `profile: the policy has no profile "${profile}"${didYouMean(profile, policy.profiles)}`,
  );
}

function redactPatternsOf(patterns: readonly string[]): readonly string[] {
  for (const [index, pattern] of patterns.entries()) {
    if (isRedactPattern(pattern)) continue;
    throw new CountersignError(
      "invalid_option",
      `redactPatterns[${index}]: must be ${redactPatternNames.join(", ")} or a regular expression that matches some text`,
    );
  }
  return [...patterns];
}

function timeoutOf(text: string): number {
  const value = durationMs(text);
  if (value === undefined || value < shortestTimeoutMs || value > longestTimeoutMs) {
    throw new CountersignError(
      "invalid_option",
      `timeout: "${text}" is not a duration between one second and 365 days; write for example "30m"`,
    );
  }
  return Math.round(value);
}
