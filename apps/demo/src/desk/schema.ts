import { integer, pgSchema, text, timestamp } from "drizzle-orm/pg-core";

/** The desk's tables, separate from those of Countersign and of the engine in the same database. */
export const demo = pgSchema("demo");

export const customers = demo.table("customers", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  email: text("email").notNull(),
});

export const orders = demo.table("orders", {
  id: text("id").primaryKey(),
  /** No foreign key: orders are kept after their customer is deleted. */
  customerId: text("customer_id").notNull(),
  totalCents: integer("total_cents").notNull(),
  currency: text("currency").notNull(),
  status: text("status", { enum: ["paid", "refunded"] }).notNull(),
  cardLast4: text("card_last4").notNull(),
});

/** The effects of the tools, one row per run of a tool. Lookups have no effect. */
export const effects = demo.table("effects", {
  id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
  kind: text("kind", {
    enum: ["refund", "email", "deletion", "payout", "carrier", "cancellation", "courier", "address"],
  }).notNull(),
  toolName: text("tool_name").notNull(),
  /** The tool's arguments as JSON text, which preserves their formatting. */
  input: text("input").notNull(),
  at: timestamp("at", { withTimezone: true }).notNull().defaultNow(),
  approvalId: text("approval_id"),
});
