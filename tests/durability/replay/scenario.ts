import type { ApprovalStatus } from "countersign";
import type { Effect } from "../../support/desk-tools.js";
import type { Harness } from "../../support/harness.js";
import type { HarnessOptions } from "../../support/harness-options.js";

/** A scenario whose outcome must be the same for every way of replaying. */
export interface Scenario {
  name: string;
  /** Parts of the scenario run concurrently, so their order means nothing. */
  unordered?: true;
  /** Depends on what only AgentKit does. Every other scenario has the same end with every kind of agent. */
  onlyAgentKit?: true;
  /** Creates the options of a new harness for each way, and the list in which the tools record that they ran. */
  open(): Omit<HarnessOptions, "database"> & { effects: Effect[] };
  /** Carries out what people do and how time passes, until every run has ended. */
  play(harness: Harness): Promise<void>;
  ends: {
    /** The final statuses of the calls, in the order of their proposals. */
    statuses: ApprovalStatus[];
    /** The tools that ran. */
    ran: string[];
    /** A text that the model reads in its last request. */
    modelReads?: string;
    /** What the network's state holds at the end. */
    state?: object;
  };
}
