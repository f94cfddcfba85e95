import type { Sql } from "postgres";

export function fillWithDecided(
  sql: Sql,
  tenantId: string,
  numbers: { from: number; to: number },
): Promise<void>;

export function fillWithPending(sql: Sql, tenantId: string, count: number, from?: number): Promise<void>;

export function digestOfPending(tenantId: string, number: number): string;
