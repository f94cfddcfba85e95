import {
  createAgent,
  createNetwork,
  type HistoryConfig,
  type Network,
  type StateData,
  type Tool,
} from "@inngest/agent-kit";
import type { Desk } from "../desk/desk.js";
import type { ModelAdapter } from "./choose-model.js";
import { bookCarrier } from "./tools/book-carrier.js";
import { callCustomer } from "./tools/call-customer.js";
import { changeAddress } from "./tools/change-address.js";
import { deleteCustomer } from "./tools/delete-customer.js";
import { issueRefund } from "./tools/issue-refund.js";
import { lookupOrder } from "./tools/lookup-order.js";
import { paySupplier } from "./tools/pay-supplier.js";
import { sendEmail } from "./tools/send-email.js";

export interface SupportDeps {
  desk: Desk;
  model: ModelAdapter;
  history?: HistoryConfig<StateData>;
  /** The tool with which the agent asks a person. */
  askPerson?: Tool.Any;
  /** Tools of the courier's MCP server. */
  courierTools?: readonly Tool.Any[];
}

const system = `You work at the support desk of a shop.
Look an order up before you refund it, unless you know its total.
If only a person can know something, such as which carrier to use or a customer's new address, ask with
request_human_input; then book the carrier or change the address. Answers may be declined, or not come in time.
The courier asks for the delivery window itself.
Some of your actions wait for a person's approval. When one was denied, has expired, was withdrawn or was interrupted,
say so plainly, do not repeat it, and never claim that it was done.`;

/** Maximum number of model responses per run. */
const maxIterations = 8;

/** Creates a network for one run. AgentKit's networks keep state and must not be shared. */
export function createSupportNetwork({
  desk,
  model,
  history,
  askPerson,
  courierTools = [],
}: SupportDeps): Network<StateData> {
  const agent = createAgent({
    name: "support",
    description: "Answers customers' requests about orders",
    system,
    tools: [
      lookupOrder(desk),
      issueRefund(desk),
      sendEmail(desk),
      callCustomer(),
      paySupplier(desk),
      bookCarrier(desk),
      changeAddress(desk),
      deleteCustomer(desk),
      ...(askPerson ? [askPerson] : []),
      ...courierTools,
    ],
  });
  // In a continued thread the last result is from an earlier run, so it does not tell whether this run has begun.
  let begun = false;
  return createNetwork({
    name: "support-desk",
    agents: [agent],
    defaultModel: model,
    maxIter: maxIterations,
    ...(history && { history }),
    router: ({ lastResult }) => {
      const goesOn = !begun || (lastResult?.toolCalls.length ?? 0) > 0;
      begun = true;
      return goesOn ? agent : undefined;
    },
  });
}
