import type postgres from "postgres";

/** More than the hour after which the product marks a running handler without a result as interrupted. */
const minutes = 65;

/** Moves the start of running handlers into the past. The product measures their time by the database's clock. */
export async function passExecutionLimit(sql: postgres.Sql): Promise<void> {
  await sql`update countersign.approvals set started_at = started_at - ${minutes} * interval '1 minute'
    where status = 'executing'`;
}
