import type { State, StateData } from "@inngest/agent-kit";
import type { InngestFunction } from "inngest";
import type { Approval } from "./approval/approval.js";
import type { Policy } from "./policy/define-policy.js";
import type { DecideInput, Store } from "./store/store.js";

/** For whom and where a response was made. */
export interface Subject {
  tenantId: string;
  threadId: string | null;
  requesterId: string | null;
}

/** What the hook decided about one call; found again by the call's input object when AgentKit runs the handler. */
export type Ticket =
  | { kind: "allowed"; toolName: string }
  | { kind: "approved"; toolName: string; approvalId: string };

/** What the parts of one Countersign instance share; made only in `create-countersign.ts`. */
export interface Runtime {
  readonly store: Store;
  readonly policy: Policy;
  readonly tenantId: string;
  readonly timeoutMs: number;
  readonly orchestrator: InngestFunction.Any;
  readonly tickets: WeakMap<object, Ticket>;
  /** Handlers that this process is running, so that a step that is delivered twice joins instead of restarting. */
  readonly inFlight: Map<string, Promise<unknown>>;
  /** For whom a run with this state works. */
  subjectOfState(state: State<StateData> | undefined): Subject;
  /** Records one person's decision and wakes the run; throws what the person should be told. */
  decide(input: DecideInput): Promise<Approval>;
}
