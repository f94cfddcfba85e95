import type { Order } from "./support-state";

const orders: Readonly<Record<string, Order>> = {
  "A-1001": { id: "A-1001", amount: 49.9, currency: "EUR" },
  "A-1002": { id: "A-1002", amount: 24.5, currency: "EUR" },
};

export function findOrder(id: string): Order | undefined {
  return orders[id];
}

/** Stands for your payment provider: prints each refund, so that one can count them. */
export function payBack(order: Pick<Order, "id" | "amount">): { refunded: number; orderId: string } {
  console.log(`refunded ${order.amount} for ${order.id}`);
  return { refunded: order.amount, orderId: order.id };
}
