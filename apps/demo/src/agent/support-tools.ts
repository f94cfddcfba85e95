import type { Tool } from "@inngest/agent-kit";
import type { Desk } from "../desk/desk.js";
import { bookCarrier } from "./tools/book-carrier.js";
import { callCustomer } from "./tools/call-customer.js";
import { changeAddress } from "./tools/change-address.js";
import { deleteCustomer } from "./tools/delete-customer.js";
import { issueRefund } from "./tools/issue-refund.js";
import { lookupOrder } from "./tools/lookup-order.js";
import { paySupplier } from "./tools/pay-supplier.js";
import { sendEmail } from "./tools/send-email.js";

/** What the agent knows about its work, whatever kind of agent it is. */
export const supportPrompt = `You work at the support desk of a shop.
Look an order up before you refund it, unless you know its total.
If only a person can know something, such as which carrier to use or a customer's new address, ask with
request_human_input; then book the carrier or change the address. Answers may be declined, or not come in time.
The courier asks for the delivery window itself.
Some of your actions wait for a person's approval. When one was denied, has expired, was withdrawn or was interrupted,
say so plainly, do not repeat it, and never claim that it was done.`;

/** Maximum number of model responses per run. */
export const maxResponses = 8;

/** The desk's own tools. */
export function supportTools(desk: Desk): Tool.Any[] {
  return [
    lookupOrder(desk),
    issueRefund(desk),
    sendEmail(desk),
    callCustomer(),
    paySupplier(desk),
    bookCarrier(desk),
    changeAddress(desk),
    deleteCustomer(desk),
  ];
}
