import type { PreviewResult } from "countersign";
import { and, asc, eq } from "drizzle-orm";
import type { DeskDatabase } from "./database.js";
import { DeskError } from "./desk-error.js";
import { previewRefund } from "./preview-refund.js";
import { recordEffect } from "./record-effect.js";
import { customers, effects, orders } from "./schema.js";
import { type Order, seedSuppliers } from "./seed-data.js";

export interface Effect {
  id: number;
  kind: string;
  toolName: string;
  input: unknown;
  at: Date;
  /** The approval under which the tool ran. */
  approvalId: string | null;
}

/** Amounts are in the order's currency, not in cents. */
export interface Refund {
  orderId: string;
  /** Whose order it is. Another customer's order is not refunded. */
  customerId: string;
  amount: number;
  reason?: string | undefined;
}

export interface Email {
  to: string;
  subject: string;
  body: string;
}

export interface Payout {
  supplierId: string;
  /** In EUR. */
  amount: number;
  iban: string;
}

export interface CarrierBooking {
  orderId: string;
  carrier: string;
}

export interface CourierBooking {
  /** Names the booking, so that a repeated request books nothing twice. */
  bookingId: string;
  orderId: string;
  window: string;
  note?: string | undefined;
}

export interface NewAddress {
  orderId: string;
  street: string;
  postcode: string;
  city: string;
  country: string;
  floor?: number | undefined;
  leaveAtDoor?: boolean | undefined;
}

/** The actions of the support desk. Each change records an effect in the same transaction. */
export interface Desk {
  findOrder(orderId: string): Promise<Order>;
  /** What a refund would change. It changes nothing. */
  previewRefund(refund: Refund): Promise<PreviewResult>;
  refund(refund: Refund, approvalId?: string): Promise<Order>;
  sendEmail(email: Email, approvalId?: string): Promise<void>;
  deleteCustomer(customerId: string, approvalId?: string): Promise<void>;
  paySupplier(payout: Payout, approvalId?: string): Promise<void>;
  bookCarrier(booking: CarrierBooking, approvalId?: string): Promise<void>;
  cancelCarrier(booking: CarrierBooking, approvalId: string): Promise<void>;
  bookCourier(booking: CourierBooking): Promise<void>;
  changeAddress(address: NewAddress, approvalId?: string): Promise<void>;
  effects(): Promise<Effect[]>;
}

export function createDesk(db: DeskDatabase): Desk {
  const lookUp = async (orderId: string): Promise<Order | undefined> => {
    const [order] = await db
      .select()
      .from(orders)
      .where(eq(orders.id, idOf(orderId)));
    return order;
  };
  const findOrder = async (orderId: string): Promise<Order> => {
    const order = await lookUp(orderId);
    if (!order) throw new DeskError(`There is no order ${orderId}. Orders are A-1001 to A-1020.`);
    return order;
  };
  return {
    findOrder,

    previewRefund: async (refund) => previewRefund(db, await lookUp(refund.orderId), refund),

    // A second refund of an order is allowed: the approver decides about it, and refusing it would hide a tool that
    // started twice.
    refund: (refund, approvalId) =>
      db.transaction(async (tx) => {
        const [order] = await tx
          .update(orders)
          .set({ status: "refunded" })
          .where(eq(orders.id, idOf(refund.orderId)))
          .returning();
        if (!order) throw new DeskError(`There is no order ${refund.orderId} to refund.`);
        if (order.customerId !== idOf(refund.customerId))
          throw new DeskError(
            `Order ${order.id} is not of customer ${refund.customerId}. Nothing was refunded.`,
          );
        await recordEffect(tx, { kind: "refund", toolName: "issue_refund", input: refund, approvalId });
        return order;
      }),

    sendEmail: (email, approvalId) =>
      recordEffect(db, { kind: "email", toolName: "send_email", input: email, approvalId }),

    deleteCustomer: (customerId, approvalId) =>
      db.transaction(async (tx) => {
        const deleted = await tx
          .delete(customers)
          .where(eq(customers.id, idOf(customerId)))
          .returning();
        if (deleted.length === 0) throw new DeskError(`There is no customer ${customerId} to delete.`);
        const input = { customerId };
        await recordEffect(tx, { kind: "deletion", toolName: "delete_customer", input, approvalId });
      }),

    async paySupplier(payout, approvalId) {
      const supplier = seedSuppliers.find(({ id }) => id === idOf(payout.supplierId));
      if (!supplier)
        throw new DeskError(`There is no supplier ${payout.supplierId}. Suppliers are S-1 to S-3.`);
      if (supplier.iban !== payout.iban) {
        throw new DeskError(`Supplier ${supplier.id} has another account. Nothing was paid.`);
      }
      await recordEffect(db, { kind: "payout", toolName: "pay_supplier", input: payout, approvalId });
    },

    async bookCarrier(booking, approvalId) {
      await findOrder(booking.orderId);
      await recordEffect(db, { kind: "carrier", toolName: "book_carrier", input: booking, approvalId });
    },

    async cancelCarrier(booking, approvalId) {
      await recordEffect(db, {
        kind: "cancellation",
        toolName: "book_carrier.undo",
        input: booking,
        approvalId,
      });
    },

    async bookCourier(booking) {
      await findOrder(booking.orderId);
      const effect = { kind: "courier" as const, toolName: "courier-book", input: booking };
      const same = and(eq(effects.kind, effect.kind), eq(effects.input, JSON.stringify(booking)));
      const known = await db.select({ id: effects.id }).from(effects).where(same);
      if (known.length === 0) await recordEffect(db, effect);
    },

    async changeAddress(address, approvalId) {
      await findOrder(address.orderId);
      await recordEffect(db, { kind: "address", toolName: "change_address", input: address, approvalId });
    },

    async effects() {
      const rows = await db.select().from(effects).orderBy(asc(effects.id));
      return rows.map((row) => ({ ...row, input: JSON.parse(row.input) }));
    },
  };
}

/** Normalizes ids such as `a-1001` or ` A-1001.`. */
function idOf(text: string): string {
  return text
    .trim()
    .replace(/[.,;:!?'"]+$/, "")
    .toUpperCase();
}
