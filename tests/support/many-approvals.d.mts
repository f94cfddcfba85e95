import type { Sql } from "postgres";

export function fillWithDecided(
  sql: Sql,
  tenantId: string,
  numbers: { from: number; to: number },
): Promise<void>;
