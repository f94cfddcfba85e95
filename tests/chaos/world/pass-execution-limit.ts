import type postgres from "postgres";

/** More than the hour after which the product takes a handler for cut off of which it hears nothing any more. */
const minutes = 65;

/** Lets the time of running handlers go by, which the product takes from the database and not from its processes' clocks. */
export async function passExecutionLimit(sql: postgres.Sql): Promise<void> {
  await sql`update countersign.approvals set started_at = started_at - ${minutes} * interval '1 minute'
    where status = 'executing'`;
}
