import { postgresStore } from "countersign/postgres";

/** Migrates before any process starts, as a deployment does. */
export async function prepareDatabase(url: string): Promise<void> {
  const store = postgresStore({ url, max: 1 });
  await store.migrate();
  await store.close();
}
