import type { Count, Counted } from "@countersign/policy/internal/policy/counts";
import type { Evaluation, Policy } from "@countersign/policy/internal/policy/policy";
import type { Tracer } from "@countersign/policy/internal/shared/span";
import type { Approval } from "../approval/approval.js";
import type { Proposed } from "../approval/proposed.js";
import type { Proposer } from "../approval/proposed-digest.js";
import type { Refusal } from "../approval/refusal-text.js";
import type { InstanceLimits } from "../decision/limits.js";
import type { EvidenceSigner } from "../evidence/evidence-signer.js";
import type { Proposal, ProposedCall } from "../store/ports/request-port.js";
import type { Store } from "../store/store.js";

/** What the gate needs of an instance. */
export interface GateRuntime {
  readonly store: Store;
  readonly policy: Policy;
  readonly signer: EvidenceSigner | undefined;
  readonly limits: InstanceLimits;
  readonly tracer?: Tracer | undefined;
  /** Sends the public event about calls that run without approval. Sending it again is safe. */
  sendNotified(approvals: readonly Approval[]): Promise<void>;
}

/** The run proposes a call again that it has proposed under another name. Nothing was written. */
export class RenamedCall extends Error {
  override readonly name = "RenamedCall";
}

/** Calls that are proposed together, such as those of one response. They share a request, and wait together. */
export interface Asking
  extends Proposer,
    Pick<Proposal, "appId" | "instanceId" | "parentRunId" | "requesterName"> {
  /** Steps of the run so far; 0 without a run. */
  steps: number;
  calls: readonly AskedCall[];
  /** For calls with ids of a model. @default they have none */
  ofModel?: {
    ids: readonly string[];
    /**
     * Says what is wrong if the run has proposed calls with these ids in other requests. Called before anything is
     * written, and then nothing is.
     */
    problemOf(earlier: readonly Approval[]): Promise<string | undefined>;
  };
  /** The text that the model wrote beside its calls, redacted for people. @default none */
  modelText?(calls: readonly ProposedCall[]): string | null;
}

/** One call, as the way in that it came by knows it. */
export interface AskedCall {
  position: number;
  toolName: string;
  /** The arguments, of which some may be counted over time. */
  input: unknown;
  /**
   * Judges the call. Not called if a stop covers it.
   *
   * @param policy One version of the policy, whatever is loaded meanwhile.
   * @param earlier The row that an earlier attempt of the same step wrote. Its own version of the policy judges it again.
   */
  judge(policy: Policy, earlier: Approval | undefined): Judged | Counting | Promise<Judged | Counting>;
  /** Its own terms say who is asked, so a row is judged again although its version of the policy is gone. */
  hasOwnTerms?: boolean;
  /**
   * For calls without a run, whose request anyone with the same key may have written: whether the row is this call. A
   * row is then not judged again.
   */
  isSame?(row: Approval): boolean;
}

/** A call that runs without a row. */
export interface Allowed {
  kind: "allowed";
}

/** A call whose verdict rests on what was counted over time. */
export interface Counting {
  kind: "counting";
  /** What its rules count. */
  counts: readonly Count[];
  /** The verdict under these numbers. Called again while the call is written, so it must be pure. */
  conclude(counted: Counted): Concluded;
}

export interface Concluded {
  judged: Judged;
  /** What the numbers may change. */
  evaluation: Evaluation;
  /** Called if the verdict holds. */
  settle?(): Promise<void>;
}

/** What a way in says about a call. */
export type Judged =
  | Allowed
  | { kind: "refused"; refusal: Refusal }
  /** Everything else has a row. `describe` may run safety checks, and runs for calls that are proposed only. */
  | {
      kind: "gated";
      verdict: ProposedCall["verdict"];
      describe(): ProposedCall | Promise<ProposedCall>;
    };

/** What becomes of a call. */
export type GateOutcome =
  | Allowed
  /** `approval` is the call's row, if it has one. */
  | { kind: "refused"; refusal: Refusal; approval?: Approval }
  /** It runs without asking, or waits for a person. `proposed` is what the caller must remember. */
  | { kind: "approved" | "waits"; approval: Approval; proposed: Proposed }
  /** Another call has the same key. Only for calls with `isSame`. */
  | { kind: "taken"; approval: Approval };
