import type postgres from "postgres";

/** More than the hour after which the product marks a running handler without a result as interrupted. */
const minutes = 65;
/** More than the day after which the product withdraws a call that no run has announced. */
const hours = 25;

/**
 * Moves the start of running handlers and the proposal of unannounced calls into the past. The product measures their
 * time by the database's clock.
 */
export async function passLimits(sql: postgres.Sql): Promise<void> {
  await sql`update countersign.approvals set
      started_at = started_at - ${minutes} * interval '1 minute',
      created_at = case when status = 'proposed' then created_at - ${hours} * interval '1 hour' else created_at end
    where status in ('executing', 'proposed')`;
}
