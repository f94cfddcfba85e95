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
  /** The tool by which the agent asks a person. */
  askPerson?: Tool.Any;
}

const system = `You work at the support desk of a shop.
Look an order up before you refund it, unless you know its total.
If only a person can know something, such as which carrier to use or a customer's new address, ask with
request_human_input; then book the carrier or change the address. Answers may be declined, or not come in time.
Some of your actions wait for a person's approval. When one was denied, has expired, was withdrawn or was interrupted,
say so plainly, do not repeat it, and never claim that it was done.`;

/** Answers that still call tools after this many are stopped. */
const maxIterations = 8;

/** A fresh network for one run: AgentKit's networks keep state and must not be shared. */
export function createSupportNetwork({ desk, model, history, askPerson }: SupportDeps): Network<StateData> {
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
    ],
  });
  // The last result of a thread that goes on is one of an earlier run, so it cannot say whether this run has begun.
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
