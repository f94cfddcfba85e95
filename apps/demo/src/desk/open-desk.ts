import { type DatabaseClient, type DeskDatabase, migratedDatabase } from "./database.js";
import { createDesk, type Desk } from "./desk.js";
import { customers, orders } from "./schema.js";
import { seedCustomers, seedOrders } from "./seed-data.js";

/** Opens the desk on a database with its tables and data. */
export async function openDesk(client: DatabaseClient): Promise<Desk> {
  const db = await migratedDatabase(client);
  await seed(db);
  return createDesk(db);
}

/** Fills an empty desk. A desk with orders is not changed, so that deleted customers stay deleted. */
async function seed(db: DeskDatabase): Promise<void> {
  const known = await db.select({ id: orders.id }).from(orders).limit(1);
  if (known.length > 0) return;
  await db
    .insert(customers)
    .values([...seedCustomers])
    .onConflictDoNothing();
  await db
    .insert(orders)
    .values([...seedOrders])
    .onConflictDoNothing();
}
