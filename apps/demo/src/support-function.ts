import { createState, type HistoryConfig, type Network, type StateData, type Tool } from "@inngest/agent-kit";
import type { Inngest, InngestFunction } from "inngest";
import { z } from "zod";
import type { ModelAdapter } from "./agent/choose-model.js";
import { createSupportNetwork } from "./agent/support-network.js";
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
  history: HistoryConfig<StateData>;
  guard(network: Network<StateData>): void;
  /** The tool with which the agent asks a person. */
  askPerson: Tool.Any;
  /** Tools of the courier's MCP server, which are known only once it has started. */
  courierTools(): Tool.Any[];
  /** Id of the principal who owns the thread. */
  ownerOf(threadId: string): Promise<string>;
  /** Called for each run, because the scripted model's address is known only once the process listens. */
  model(): ModelAdapter;
}

/** The durable function that runs the agent on one message. */
export function supportFunction({
  inngest,
  desk,
  history,
  guard,
  askPerson,
  courierTools,
  ownerOf,
  model,
}: SupportFunctionDeps): InngestFunction.Any {
  return inngest.createFunction(
    { id: "support-agent", triggers: [{ event: messageReceived }], retries: 2 },
    async ({ event, step }) => {
      const { threadId, message } = messageData.parse(event.data);
      const requesterId = await step.run("find-requester", () => ownerOf(threadId));
      const network = createSupportNetwork({
        ...{ desk, model: model(), history, askPerson },
        courierTools: courierTools(),
      });
      guard(network);
      const run = await network.run(message, {
        state: createState({ requesterId }, { threadId }),
      });
      return { threadId, answers: run.state.results.length };
    },
  );
}
