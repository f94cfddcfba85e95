import type { Tool } from "@inngest/agent-kit";
import type { GateResult } from "countersign";
import type { ConversationMessage, GateCall } from "countersign/types";
import type { ModelAddress } from "../../choose-model.js";

/** What a model answers. */
export interface ModelAnswer {
  text: string;
  calls: GateCall[];
}

/** A conversation with a provider's client. */
export interface ModelConversation {
  /** Asks the model for its next response, in a step. */
  ask(inStep: <T>(work: () => Promise<T>) => Promise<unknown>): Promise<ModelAnswer>;
  /** Adds the results of the response's calls. */
  tell(results: readonly GateResult[]): void;
}

export type ModelClient = (
  model: ModelAddress,
  tools: readonly Tool.Any[],
  conversation: readonly ConversationMessage[],
) => ModelConversation;
