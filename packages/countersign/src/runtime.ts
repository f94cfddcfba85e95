import type { State, StateData } from "@inngest/agent-kit";
import type { InngestFunction } from "inngest";
import type { Approval } from "./approval/approval.js";
import type { EvidenceSigner } from "./evidence/evidence-signer.js";
import type { GrantRequest } from "./grants/grant-request.js";
import type { CompiledRule } from "./policy/compiled-rule.js";
import type { Policy } from "./policy/policy.js";
import type { DecideInput, ProposalLimits, Store, WakeUp } from "./store/store.js";

/** For whom and where a response was made. */
export interface Subject {
  tenantId: string;
  threadId: string | null;
  requester: { id: string; roles: readonly string[] } | null;
  /** Rules of this thread alone; they only tighten. */
  threadRules: readonly CompiledRule[];
  /** The same as the host gave them, to be kept with a call. */
  threadRulesGiven: readonly unknown[];
}

/** What the hook decided about one call; found again by the call's input object when AgentKit runs the handler. */
export type Ticket =
  | { kind: "allowed"; toolName: string }
  | { kind: "approved"; toolName: string; approvalId: string };

/** A decision as it comes from a person; `input` are the changed arguments of an edit. */
export interface PersonsDecision extends Omit<DecideInput, "edited" | "grant"> {
  input?: unknown;
  /** The person was shown nothing hidden, so that their edit may change anything. */
  seesEverything?: boolean;
  /** Lets such calls run without anybody being asked from now on; only with an approval. */
  grant?: GrantRequest;
}

/** What the parts of one Countersign instance share; made only in `create-countersign.ts`. */
export interface Runtime {
  readonly store: Store;
  readonly policy: Policy;
  /** A candidate that is evaluated beside the policy and decides nothing. */
  readonly shadowPolicy: Policy | undefined;
  /** Signs decisions and reads what was signed; without it, no proofs are written and none are asked for. */
  readonly signer: EvidenceSigner | undefined;
  readonly tenantId: string;
  readonly timeoutMs: number;
  /** What is hidden in every call, beside what rules hide. */
  readonly redactPatterns: readonly string[];
  /** What would ask people too much. */
  readonly limits: ProposalLimits;
  /** Whether a new message in a thread ends the calls of it that wait. */
  readonly supersede: "never" | "on-new-message";
  /** Names or globs of tools that the host declares durable. */
  readonly durableTools: readonly string[];
  readonly orchestrator: InngestFunction.Any;
  readonly tickets: WeakMap<object, Ticket>;
  /** Handlers that this process is running, so that a step that is delivered twice joins instead of restarting. */
  readonly inFlight: Map<string, Promise<unknown>>;
  /** Sends wake-ups at once, as well as it can; what fails here the relay sends later. */
  wake(wakeUps: readonly WakeUp[]): Promise<void>;
  /** Sends the public event about calls that run without anybody having been asked. */
  tellNotified(approvals: readonly Approval[]): Promise<void>;
  /** For whom a run with this state works. */
  subjectOfState(state: State<StateData> | undefined): Subject;
  /** Records one person's decision and wakes the run; throws what the person should be told. */
  decide(input: PersonsDecision): Promise<Approval>;
}
