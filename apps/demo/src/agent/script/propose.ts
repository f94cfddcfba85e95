import { seedCustomers, seedOrders, seedSuppliers } from "../../desk/seed-data.js";
import { askForAddress, askForCarrier } from "./ask.js";
import type { Action } from "./parse-request.js";
import type { ProposedCall } from "./proposed-call.js";

/** What the script knows of the conversation when it proposes an email. */
export interface EmailContext {
  /** The orders that the message is about. */
  orderIds: string[];
  /** False if a requested refund was not made. Absent if the message asks for none. */
  refunded?: boolean;
}

/** The calls of one stage, in the order of the message. */
export function propose(stage: readonly Action[], context: EmailContext): ProposedCall[] {
  return stage.flatMap((action) => callsFor(action, context));
}

function callsFor(action: Action, context: EmailContext): ProposedCall[] {
  const { verb, orderIds, customerIds, supplierIds, amount } = action;
  switch (verb) {
    case "look up":
      return orderIds.map(lookUp);
    case "refund":
      return orderIds.map((orderId) => {
        const order = seedOrders.find(({ id }) => id === orderId);
        return order ? refund(order, amount ?? order.totalCents / 100) : lookUp(orderId);
      });
    case "ask for a carrier":
      return orderIds.map(askForCarrier);
    case "ask for an address":
      return orderIds.map(askForAddress);
    case "book a courier":
      return orderIds.map((orderId) => ({ name: "courier-book", input: { orderId } }));
    case "call":
      return customerIds.map((customerId) => call(customerId, orderIds));
    case "pay":
      return amount === undefined ? [] : supplierIds.map((supplierId) => pay(supplierId, amount));
    case "delete":
      return customerIds.map((customerId) => ({ name: "delete_customer", input: { customerId } }));
    case "email": {
      const about = orderIds.length > 0 ? orderIds : context.orderIds;
      const to = customerIds.length > 0 ? customerIds : customersOf(about).slice(0, 1);
      return to.map((customerId) => email(customerId, about, context.refunded));
    }
  }
}

export function lookUp(orderId: string): ProposedCall {
  return { name: "lookup_order", input: { orderId } };
}

export function refund(
  { id: orderId, customerId }: { id: string; customerId: string },
  amount: number,
): ProposedCall {
  return { name: "issue_refund", input: { orderId, customerId, amount } };
}

function call(customerId: string, orderIds: string[]): ProposedCall {
  const about = orderIds.length > 0 ? `order ${orderIds.join(" and ")}` : "their account";
  return { name: "call_customer", input: { customerId, about } };
}

function pay(supplierId: string, amount: number): ProposedCall {
  const iban = seedSuppliers.find(({ id }) => id === supplierId)?.iban ?? "unknown";
  return { name: "pay_supplier", input: { supplierId, amount, iban } };
}

function email(customerId: string, orderIds: string[], refunded: boolean | undefined): ProposedCall {
  const to =
    seedCustomers.find(({ id }) => id === customerId)?.email ?? `${customerId.toLowerCase()}@example.com`;
  const what = orderIds.length > 0 ? `order ${orderIds.join(" and ")}` : "your account";
  return {
    name: "send_email",
    input: { to, subject: `About ${what}`, body: bodyOf(what, orderIds, refunded) },
  };
}

function bodyOf(what: string, orderIds: string[], refunded: boolean | undefined): string {
  if (refunded === undefined) {
    return orderIds.length > 0
      ? `You paid for ${what} with ${cardOf(orderIds)}.`
      : `Please get in touch with us about ${what}.`;
  }
  return refunded
    ? `We are refunding ${what} to ${cardOf(orderIds)}.`
    : `We looked at ${what} and could not make the refund yet.`;
}

function cardOf(orderIds: string[]): string {
  const last4 = seedOrders.find(({ id }) => id === orderIds[0])?.cardLast4;
  return last4 === undefined ? "the card that you paid with" : `your card ending in ${last4}`;
}

function customersOf(orderIds: readonly string[]): string[] {
  const ids = seedOrders.filter(({ id }) => orderIds.includes(id)).map(({ customerId }) => customerId);
  return [...new Set(ids)];
}
