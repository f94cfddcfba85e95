import type { HistoryConfig, Network, StateData, Tool } from "@inngest/agent-kit";
import type { RunGate } from "countersign";
import type { Context } from "inngest";
import type { ModelAddress } from "../choose-model.js";

/** One message, and what an agent of any kind needs to answer it. */
export interface SupportRun {
  message: string;
  threadId: string;
  requester: { id: string; displayName?: string };
  tools: readonly Tool.Any[];
  model: ModelAddress;
  step: Context["step"];
  /** The gate of this run, for agents that are not AgentKit's. */
  openGate(): RunGate;
  guard(network: Network<StateData>): void;
  history: HistoryConfig<StateData>;
}

/** An agent that answers a message in its thread. */
export type SupportAgent = (run: SupportRun) => Promise<void>;
