import type { DeskDatabase } from "./database.js";
import { effects } from "./schema.js";

interface NewEffect {
  kind: (typeof effects.$inferInsert)["kind"];
  toolName: string;
  input: unknown;
  approvalId?: string | undefined;
}

/** Records the effect of a tool. */
export async function recordEffect(db: DeskDatabase, effect: NewEffect): Promise<void> {
  await db.insert(effects).values({
    ...effect,
    input: JSON.stringify(effect.input),
    approvalId: effect.approvalId ?? null,
  });
}
