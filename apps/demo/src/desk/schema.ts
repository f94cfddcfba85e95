import { integer, pgSchema, text, timestamp } from "drizzle-orm/pg-core";

/** The desk's own tables, apart from those of Countersign and of the engine in the same database. */
export const demo = pgSchema("demo");

export const customers = demo.table("customers", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  email: text("email").notNull(),
});

export const orders = demo.table("orders", {
  id: text("id").primaryKey(),
  /** Kept without a foreign key: an order outlives its customer's deletion. */
  customerId: text("customer_id").notNull(),
  totalCents: integer("total_cents").notNull(),
  currency: text("currency").notNull(),
  status: text("status", { enum: ["paid", "refunded"] }).notNull(),
  cardLast4: text("card_last4").notNull(),
});

/** What the tools did to the world: one row for each time that one ran. Lookups leave none. */
export const effects = demo.table("effects", {
  id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
  kind: text("kind", { enum: ["refund", "email", "deletion", "payout", "carrier", "address"] }).notNull(),
  toolName: text("tool_name").notNull(),
  /** The tool's arguments as JSON text, which keeps them as they were written. */
  input: text("input").notNull(),
  at: timestamp("at", { withTimezone: true }).notNull().defaultNow(),
  approvalId: text("approval_id"),
});
