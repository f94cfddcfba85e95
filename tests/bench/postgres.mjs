import { startPostgres as startServer } from "../support/own-postgres.mjs";

/**
 * A real Postgres of its own, with `fsync` as a production server has it, and one database whose owner row-level
 * security binds.
 *
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startPostgres() {
  const server = await startServer();
  await server.createDatabase("bench");
  return { url: `${server.ownerUrl}/bench`, stop: server.stop };
}
