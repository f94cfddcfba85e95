import type { PreviewResult } from "countersign";
import { and, eq, gte, sql } from "drizzle-orm";
import type { DeskDatabase } from "./database.js";
import { effects, orders } from "./schema.js";
import type { Order } from "./seed-data.js";

/** What a refund would change. It holds as long as nobody refunds the order in between. */
export async function previewRefund(
  db: DeskDatabase,
  order: Order | undefined,
  { orderId, amount }: { orderId: string; amount: number },
): Promise<PreviewResult> {
  if (!order) return { effects: [{ target: `there is no order ${orderId}` }], reversible: false };
  const refunded = await refundsThisMonth(db, order.customerId);
  const ofOrder = refunded.filter((id) => id === order.id).length;
  const money = (value: number) => `${value.toFixed(2)} ${order.currency}`;
  return {
    effects: [
      {
        target: `order ${order.id}`,
        before: `${order.status} ${money(order.totalCents / 100)}`,
        after: `refunded ${money(amount)}`,
      },
      ...(refunded.length > 0
        ? [{ target: `${ordinal(refunded.length + 1)} refund for this customer this month` }]
        : []),
    ],
    // Not the customer's other refunds: those that are approved together must not end each other.
    state: { status: order.status, refunds: ofOrder },
    reversible: false,
  };
}

/** The orders of a customer that were refunded this month, one for each refund. */
async function refundsThisMonth(db: DeskDatabase, customerId: string): Promise<string[]> {
  const own = await db.select({ id: orders.id }).from(orders).where(eq(orders.customerId, customerId));
  const ids = new Set(own.map(({ id }) => id));
  const refunds = await db
    .select({ input: effects.input })
    .from(effects)
    .where(and(eq(effects.kind, "refund"), gte(effects.at, sql`date_trunc('month', now())`)));
  return refunds
    .map(({ input }) => String(JSON.parse(input).orderId).trim().toUpperCase())
    .filter((id) => ids.has(id));
}

function ordinal(count: number): string {
  return ["", "first", "second", "third", "fourth", "fifth"][count] ?? `${count}th`;
}
