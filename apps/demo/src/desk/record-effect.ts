import type { DeskDatabase } from "./database.js";
import { effects } from "./schema.js";

type EffectKind = (typeof effects.$inferInsert)["kind"];

/** Writes down that a tool did something to the world. */
export async function recordEffect(
  db: DeskDatabase,
  kind: EffectKind,
  toolName: string,
  input: unknown,
): Promise<void> {
  await db.insert(effects).values({ kind, toolName, input: JSON.stringify(input) });
}
