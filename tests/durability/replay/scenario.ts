import type { ApprovalStatus } from "countersign";
import type { Effect } from "../../support/desk-tools.js";
import type { Harness } from "../../support/harness.js";
import type { HarnessOptions } from "../../support/harness-options.js";

/** What happens, told once; every way of replaying must come to the same. */
export interface Scenario {
  name: string;
  /** Things happen side by side, so their order says nothing. */
  unordered?: true;
  /** The installation, made anew for each way, and where its tools write down that they ran. */
  open(): Omit<HarnessOptions, "database"> & { effects: Effect[] };
  /** What people and time do, to the end of every run. */
  play(harness: Harness): Promise<void>;
  ends: {
    /** How the calls ended, in the order in which they were proposed. */
    statuses: ApprovalStatus[];
    /** The tools that ran. */
    ran: string[];
    /** Something that the model reads in its last request. */
    told?: string;
    /** What the network's state holds at the end. */
    state?: object;
  };
}
