import type { ConversationToolCall } from "@countersign/testing";
import { z } from "zod";
import { tellAnswer } from "./ask.js";
import type { Outcome } from "./outcome.js";

const input = z
  .looseObject({
    orderId: z.string(),
    amount: z.number(),
    to: z.string(),
    customerId: z.string(),
    supplierId: z.string(),
    carrier: z.string(),
  })
  .partial();
const order = z.object({
  orderId: z.string(),
  customerId: z.string(),
  total: z.number(),
  currency: z.string(),
  status: z.string(),
  cardLast4: z.string(),
});
const refunded = z.object({ status: z.literal("refunded"), orderId: z.string(), amount: z.number() });
const paidOut = z.object({ status: z.literal("paid"), supplierId: z.string(), amount: z.number() });
/** The text content that an MCP server returns. */
const words = z.array(z.object({ type: z.literal("text"), text: z.string() })).min(1);
const carriedOut = z.object({ status: z.enum(["sent", "deleted", "booked", "changed"]) });

/** One sentence about the outcome of a call. It states only what the tool's result says. */
export function tell(call: ConversationToolCall, outcome: Outcome): string {
  const answer = tellAnswer(call, outcome);
  if (answer !== undefined) return answer;
  const what = nameOf(call);
  const because = outcome.message ? ` Details: ${outcome.message}` : "";
  switch (outcome.kind) {
    case "done":
      return outcome.note === undefined
        ? tellDone(what, outcome.data)
        : `${tellDone(what, outcome.data)} ${outcome.note}`;
    case "denied":
      return `${what} was not carried out: a person denied it.${because}`;
    case "forbidden":
      return `${what} was not carried out: the policy does not allow it.${because}`;
    case "expired":
      return `${what} was not carried out: nobody decided in time and the request expired.${because}`;
    case "withdrawn":
      return `${what} was not carried out: the request was withdrawn.${because}`;
    case "interrupted":
      return `${what} was interrupted and may or may not have been carried out. Please check before asking again.${because}`;
    case "failed":
      return `${what} failed.${because}`;
  }
}

function tellDone(what: string, data: unknown): string {
  const found = order.safeParse(data).data;
  if (found) {
    return `Order ${found.orderId} of customer ${found.customerId}: ${money(found.total)}, ${found.status}, card ending in ${found.cardLast4}.`;
  }
  const paid = refunded.safeParse(data).data;
  if (paid) return `Order ${paid.orderId} is refunded: ${money(paid.amount)}.`;
  const payout = paidOut.safeParse(data).data;
  if (payout) return `Supplier ${payout.supplierId} is paid: ${money(payout.amount)}.`;
  const texts = words.safeParse(data).data;
  if (texts) return texts.map(({ text }) => text).join(" ");
  if (carriedOut.safeParse(data).success) return `${what} is done.`;
  return `${what} was answered with: ${typeof data === "string" ? data : JSON.stringify(data)}`;
}

function nameOf(call: ConversationToolCall): string {
  const { orderId, amount, to, customerId, supplierId, carrier } = input.safeParse(call.input).data ?? {};
  switch (call.name) {
    case "lookup_order":
      return `The lookup of order ${orderId}`;
    case "issue_refund":
      return `The refund of ${amount === undefined ? "" : `${money(amount)} for `}order ${orderId}`;
    case "send_email":
      return `The email to ${to}`;
    case "delete_customer":
      return `The deletion of customer ${customerId}`;
    case "call_customer":
      return `The call to customer ${customerId}`;
    case "pay_supplier":
      return `The payout of ${amount === undefined ? "" : `${money(amount)} to `}supplier ${supplierId}`;
    case "book_carrier":
      return `The booking of ${carrier} for order ${orderId}`;
    case "courier-book":
      return `The booking of a courier for order ${orderId}`;
    case "change_address":
      return `The change of address for order ${orderId}`;
    case "request_human_input":
      return "The question";
    default:
      return `The call of ${call.name}`;
  }
}

function money(amount: number): string {
  return `${amount.toFixed(2)} EUR`;
}
