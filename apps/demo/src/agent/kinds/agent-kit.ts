import { createState } from "@inngest/agent-kit";
import { agentKitModel } from "../choose-model.js";
import { createSupportNetwork } from "../support-network.js";
import type { SupportAgent } from "./support-run.js";

/** A network of AgentKit, which Countersign guards. */
export const agentKitAgent: SupportAgent = async ({
  message,
  threadId,
  requester,
  tools,
  model,
  history,
  guard,
}) => {
  const network = createSupportNetwork({ tools, model: agentKitModel(model), history });
  guard(network);
  await network.run(message, { state: createState({ requesterId: requester.id }, { threadId }) });
};
