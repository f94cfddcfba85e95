import type { HistoryConfig, Network, StateData, Tool } from "@inngest/agent-kit";
import type { Countersign } from "countersign/agent-kit";
import type { Inngest, InngestFunction } from "inngest";
import { z } from "zod";
import type { ModelAddress } from "./agent/choose-model.js";
import type { SupportAgent } from "./agent/kinds/support-run.js";
import { supportTools } from "./agent/support-tools.js";
import type { Desk } from "./desk/desk.js";

export const messageReceived = "demo/message.received";

/**
 * The event does not name the requester, because events can be forged. The owner of the thread is read from the
 * database instead.
 */
const messageData = z.object({ threadId: z.string(), message: z.string() });

export interface SupportFunctionDeps {
  inngest: Inngest;
  desk: Desk;
  agent: SupportAgent;
  history: HistoryConfig<StateData>;
  guard(network: Network<StateData>): void;
  gate: Countersign["gate"];
  /** The tool with which the agent asks a person. */
  askPerson: Tool.Any;
  /** Tools of the courier's MCP server, which are known only once it has started. */
  courierTools(): Tool.Any[];
  /** Id of the principal who owns the thread. */
  ownerOf(threadId: string): Promise<string>;
  nameOf(principalId: string): string | undefined;
  /** Called for each run, because the scripted model's address is known only once the process listens. */
  model(): ModelAddress;
}

/** The durable function that runs the agent on one message. */
export function supportFunction(deps: SupportFunctionDeps): InngestFunction.Any {
  const { inngest, desk, agent, history, guard, gate, askPerson, courierTools, ownerOf, nameOf, model } =
    deps;
  return inngest.createFunction(
    { id: "support-agent", triggers: [{ event: messageReceived }], retries: 2 },
    async ({ event, step }) => {
      const { threadId, message } = messageData.parse(event.data);
      const id = await step.run("find-requester", () => ownerOf(threadId));
      const displayName = nameOf(id);
      const requester = { id, ...(displayName !== undefined && { displayName }) };
      await agent({
        ...{ message, threadId, requester, step, history, guard },
        openGate: () => gate({ step, context: { threadId, requester }, agentName: "support" }),
        tools: [...supportTools(desk), askPerson, ...courierTools()],
        model: model(),
      });
      return { threadId };
    },
  );
}
