import type postgres from "postgres";
import { expect } from "vitest";

/** Ends every connection to the database except the superuser's own, as a failover or a restart does. */
export async function endConnections(admin: postgres.Sql): Promise<void> {
  await admin`select pg_terminate_backend(pid, 10_000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
}

/** Waits until so many connections wait for a lock. */
export async function untilWaitingForLock(client: postgres.Sql, connections: number): Promise<void> {
  const waiting = () => client`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect
    .poll(async () => (await waiting()).length, { timeout: 60_000, interval: 10 })
    .toBe(connections);
}
