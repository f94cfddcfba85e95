import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../http/free-port.mjs";

const versions = "/usr/lib/postgresql";

/**
 * The folder of a Postgres that is installed on this machine, with its server, `pg_dump` and `pg_restore`; `undefined`
 * if there is none. The embedded Postgres has no such programs, and those of other versions refuse to work with it.
 */
export const installedPostgres = (existsSync(versions) ? readdirSync(versions) : [])
  .map((version) => join(versions, version, "bin"))
  .find((bin) => ["initdb", "pg_ctl", "pg_dump", "pg_restore"].every((name) => existsSync(join(bin, name))));

/** Starts a server of the installed Postgres, which needs no password. */
export async function startInstalledPostgres(bin: string) {
  const folder = mkdtempSync(join(tmpdir(), "installed-postgres-"));
  // Postgres refuses to run as root.
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  const user = process.getuid?.() === 0 ? { uid: id("-u"), gid: id("-g") } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(bin, program), ["-D", data, ...args], { ...user, cwd: folder, stdio: "ignore" });
  run("initdb", "--auth=trust", "--username=postgres", "--no-sync");
  const port = await freePort();
  const settings = `-p ${port} -c fsync=off -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`;
  run("pg_ctl", "-o", settings, "-w", "start");
  return {
    url: (role: string, database: string) => `postgres://${role}@127.0.0.1:${port}/${database}`,
    [Symbol.dispose]: () => {
      run("pg_ctl", "-m", "fast", "-w", "stop");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
