import type { customers, orders } from "./schema.js";

export type Customer = typeof customers.$inferSelect;
export type Order = typeof orders.$inferSelect;

/** Totals in cents. The first five are small, so that one approver is enough. */
const totals = [
  4_990, 2_450, 8_900, 3_575, 8_000, 9_500, 14_900, 18_990, 24_500, 31_000, 38_750, 47_900, 59_900, 72_000,
  89_950, 110_000, 134_900, 168_000, 199_900, 240_000,
];

export const seedCustomers: readonly Customer[] = Array.from({ length: 10 }, (_, index) => ({
  id: `C-${index + 1}`,
  name: `Customer ${index + 1}`,
  email: `customer-${index + 1}@example.com`,
}));

/** `A-1001` to `A-1020`, two per customer. */
export const seedOrders: readonly Order[] = totals.map((totalCents, index) => ({
  id: `A-${1001 + index}`,
  customerId: `C-${Math.floor(index / 2) + 1}`,
  totalCents,
  currency: "EUR",
  status: "paid",
  cardLast4: String(1111 + index * 37),
}));

/** The suppliers. They never change, so they have no table. */
export const seedSuppliers = [
  { id: "S-1", name: "Supplier 1", iban: "DE02 1203 0000 0000 2020 51" },
  { id: "S-2", name: "Supplier 2", iban: "AT02 2050 3021 0102 3600" },
  { id: "S-3", name: "Supplier 3", iban: "CH02 0070 0110 0006 0249 7" },
] as const;
