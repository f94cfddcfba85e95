import {
  createAgent,
  createNetwork,
  type HistoryConfig,
  type Network,
  type StateData,
  type Tool,
} from "@inngest/agent-kit";
import type { ModelAdapter } from "./choose-model.js";
import { maxResponses, supportPrompt } from "./support-tools.js";

export interface SupportDeps {
  tools: readonly Tool.Any[];
  model: ModelAdapter;
  history?: HistoryConfig<StateData>;
}

/** Creates a network for one run. AgentKit's networks keep state and must not be shared. */
export function createSupportNetwork({ tools, model, history }: SupportDeps): Network<StateData> {
  const agent = createAgent({
    name: "support",
    description: "Answers customers' requests about orders",
    system: supportPrompt,
    tools: [...tools],
  });
  // In a continued thread the last result is from an earlier run, so it does not tell whether this run has begun.
  let begun = false;
  return createNetwork({
    name: "support-desk",
    agents: [agent],
    defaultModel: model,
    maxIter: maxResponses,
    ...(history && { history }),
    router: ({ lastResult }) => {
      const goesOn = !begun || (lastResult?.toolCalls.length ?? 0) > 0;
      begun = true;
      return goesOn ? agent : undefined;
    },
  });
}
