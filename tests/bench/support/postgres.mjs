import { startPostgres as startServer } from "../../support/postgres/own-postgres.mjs";

/**
 * A real Postgres of its own, with `fsync` as a production server has it. `url` leads to a database whose owner row-level
 * security binds, and `open` makes another one like it.
 *
 * @param {{ flags?: string[] }} [options] further settings of the server
 * @returns {Promise<{ url: string, open: (name: string) => Promise<string>, stop: () => Promise<void> }>}
 */
export async function startPostgres({ flags = [] } = {}) {
  // Room for a million rows: by default most of the time goes into checkpoints that they set off.
  const server = await startServer({
    flags: ["shared_buffers=256MB", "max_wal_size=4GB", ...flags],
  });
  /** @param {string} name */
  const open = async (name) => {
    await server.createDatabase(name);
    return `${server.ownerUrl}/${name}`;
  };
  return { url: await open("bench"), open, stop: server.stop };
}
