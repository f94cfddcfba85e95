import postgres from "postgres";
import { type OwnPostgres, startPostgres } from "../../support/own-postgres.mjs";
import { type Adversary, createAdversary } from "../adversary.js";
import { judgeClaimed } from "../check/claimed.js";
import type { Journal } from "../journal.js";
import type { ChaosOptions } from "../options.js";
import type { Random } from "../random.js";
import { Member, type MemberOptions } from "./fleet.js";
import { openLedger } from "./ledger.js";
import { type Links, openLinks } from "./links.js";
import { type BeforeTurn, openModel } from "./model.js";
import { prepareDatabase } from "./prepare-database.js";

export interface Installation {
  server: OwnPostgres;
  databaseUrl: string;
  /** A superuser's connections, for looking behind the product's back. */
  sql: postgres.Sql;
  members: Member[];
  links: Links;
  adversary: Adversary;
  close(): Promise<void>;
}

export interface Hooks {
  troubled: () => boolean;
  onPending: (approvalId: string) => void;
  beforeTurn: BeforeTurn;
}

/** Starts everything: Postgres, model, ledger, the links, and the processes. */
export async function openInstallation(
  options: ChaosOptions,
  journal: Journal,
  random: Random,
  hooks: Hooks,
): Promise<Installation> {
  const server = await startPostgres({ flags: ["fsync=off"] });
  await server.createDatabase("chaos");
  const databaseUrl = `${server.ownerUrl}/chaos`;
  await prepareDatabase(databaseUrl);
  const sql = postgres(`${server.adminUrl}/chaos`, { max: 6, onnotice: () => {}, connect_timeout: 5 });
  const ledger = await openLedger(journal, random, (start) => judgeClaimed(sql, journal, start));
  const model = await openModel(journal, hooks.beforeTurn);
  const members: Member[] = [];
  const links = await openLinks({
    ...{ journal, random, drill: options.drill, members, modelUrl: model.url },
    ...hooks,
  });
  const environment = {
    DATABASE_URL: databaseUrl,
    ENGINE_URL: links.engine.url,
    APP_URL: links.app.url,
    MODEL_URL: links.model.url,
    LEDGER_URL: ledger.url,
    // With a key, each start needs the signed proof of its decision as well. A planted bug is to be found without.
    ...(options.drill || random.of("signing").chance(0.5)
      ? {}
      : { SIGNING_KEY: "a secret of at least 32 bytes, in chaos" }),
  };
  members.push(...openMembers(options, journal, environment));
  await Promise.all(members.map((member) => member.start()));
  return {
    server,
    databaseUrl,
    sql,
    members,
    links,
    adversary: createAdversary(sql, links.engine.url, journal),
    async close() {
      await Promise.all(members.map((member) => member.stop()));
      await sql.end({ timeout: 1 });
      links.close();
      ledger.close();
      model.close();
      await server.stop();
    },
  };
}

function openMembers(
  { apps, apis, plant }: ChaosOptions,
  journal: Journal,
  environment: Record<string, string>,
): Member[] {
  const make = (role: MemberOptions["role"], index: number) =>
    new Member(
      { role, index, environment, plant: role === "engine" ? undefined : plant },
      (name) => journal.crashed(name),
      (member, words) => {
        journal.count(`${member.role} ended by itself`);
        process.stderr.write(`${member.name} ended by itself:\n${words.slice(-2000)}\n`);
      },
    );
  return [
    make("engine", 0),
    ...Array.from({ length: apps }, (_, index) => make("app", index)),
    ...Array.from({ length: apis }, (_, index) => make("api", index)),
  ];
}
