import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { type OwnPostgres, startPostgres } from "../../support/postgres/own-postgres.mjs";
import { type Adversary, createAdversary } from "../adversary.js";
import { judgeBudget } from "../check/budgets.js";
import { judgeClaimed, judgeUndoClaimed } from "../check/claimed.js";
import type { Journal, Start } from "../journal.js";
import type { ChaosOptions } from "../options.js";
import type { Random } from "../random.js";
import { boardSecret } from "../scenario/channels.js";
import { policyFiles } from "../scenario/tools.js";
import type { EngineView } from "./engine-view.js";
import { Member, type MemberOptions } from "./fleet.js";
import { inngestView } from "./inngest-view.js";
import { openLedger } from "./ledger.js";
import { answersOfApps, type Links, openLinks } from "./links.js";
import { localEngineView } from "./local-engine-view.js";
import { type MessageService, openMessageService } from "./message-service.js";
import { type BeforeTurn, openModel } from "./model.js";
import { prepareDatabase } from "./prepare-database.js";

/**
 * Milliseconds between two runs of the relay, whose usual minute is long in a short run. The first value applies once apps
 * have carried out enough requests since the relay's last run, so that they do not only do the relay's work.
 */
const relayMs = { least: 3000, most: 8000, requests: 40 };

export interface Installation {
  server: OwnPostgres;
  databaseUrl: string;
  /** A superuser's connections, which bypass the product. */
  sql: postgres.Sql;
  members: Member[];
  links: Links;
  /** An app id that is new to the engine, because the engine starts only one run for each message of an app. */
  appId: string;
  engine: EngineView;
  adversary: Adversary;
  messages: MessageService;
  /** Replaces the policy file, which every process reads again. */
  reloadPolicy(file: keyof typeof policyFiles): void;
  close(): Promise<void>;
}

export interface Hooks {
  troubled: () => boolean;
  over: () => boolean;
  onPending: (approvalId: string) => void;
  onStart: (start: Start) => void;
  beforeTurn: BeforeTurn;
}

/** The superuser's connections. */
export const maxConnections = 6;

/** Starts Postgres, the model, the ledger, the links, and the processes. */
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
  // A connection that breaks while it fetches types would end this process: no code handles the rejection of postgres.js.
  const quiet = { onnotice: () => {}, fetch_types: false };
  const sql = postgres(`${server.adminUrl}/chaos`, { max: maxConnections, connect_timeout: 5, ...quiet });
  const ledger = await openLedger(journal, random, {
    async onStart(start) {
      hooks.onStart(start);
      await judgeClaimed(sql, journal, start);
      await judgeBudget(sql, journal, start);
    },
    onUndo: (start) => judgeUndoClaimed(sql, journal, start),
  });
  const model = await openModel(journal, hooks.beforeTurn);
  const members: Member[] = [];
  const { engineUrl } = options;
  const appId = `chaos-${journal.startedAt.toString(36)}`;
  const links = await openLinks({
    ...{ journal, random, drill: options.drill, members, engineUrl, modelUrl: model.url },
    ...hooks,
  });
  const adversary = createAdversary({ sql, engineUrl: links.engine.url, journal, over: hooks.over });
  const messages = await openMessageService({
    ...{ journal, random, sql, drill: options.drill, troubled: hooks.troubled },
    repeatEvent: (deliveryId) => adversary.repeatDue(deliveryId),
  });
  const folder = mkdtempSync(join(tmpdir(), "countersign-chaos-policy-"));
  const policyFile = join(folder, "policy.yaml");
  const reloadPolicy: Installation["reloadPolicy"] = (file) => {
    writeFileSync(`${policyFile}.next`, policyFiles[file]);
    renameSync(`${policyFile}.next`, policyFile);
    journal.policies.push({ at: Date.now(), file });
  };
  reloadPolicy("allowing");
  const environment = {
    APP_ID: appId,
    POLICY_FILE: policyFile,
    DATABASE_URL: databaseUrl,
    ENGINE_URL: links.engine.url,
    APP_URL: links.app.url,
    MODEL_URL: links.model.url,
    LEDGER_URL: ledger.url,
    MESSAGES_URL: messages.url,
    BOARD_SECRET: boardSecret,
    DISORDER: options.seed,
    // With a key, each start needs the signed proof of its decision as well. A planted bug must be found without it.
    ...(options.drill || random.of("signing").chance(0.5)
      ? {}
      : { SIGNING_KEY: "a secret of at least 32 bytes, in chaos" }),
  };
  members.push(...openMembers(options, journal, environment));
  await Promise.all(members.map((member) => member.start()));
  let last = { at: 0, requests: 0 };
  const relay = setInterval(() => {
    const requests = journal.counts.get(answersOfApps) ?? 0;
    const isEarly = Date.now() < last.at + relayMs.most;
    if (isEarly && requests < last.requests + relayMs.requests) return;
    last = { at: Date.now(), requests };
    const body = JSON.stringify({ name: `${appId}/relay`, data: {} });
    // The local engine accepts JSON only.
    const headers = { "content-type": "application/json" };
    fetch(`${links.engine.url}/e/relay`, { method: "POST", headers, body }).then(
      (response) => response.arrayBuffer(),
      () => {},
    );
  }, relayMs.least);
  return {
    server,
    databaseUrl,
    sql,
    members,
    links,
    appId,
    engine: engineUrl ? inngestView(engineUrl, journal) : localEngineView(sql, links.engine.url, journal),
    adversary,
    messages,
    reloadPolicy,
    async close() {
      clearInterval(relay);
      if (engineUrl) await removeApp(engineUrl, links.app.url);
      await Promise.all(members.map((member) => member.stop()));
      await sql.end({ timeout: 1 });
      links.close();
      ledger.close();
      messages.close();
      model.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Unregisters the app: an engine that goes on would call it every minute and for every failed run of other apps. */
async function removeApp(engineUrl: string, appUrl: string): Promise<void> {
  const url = encodeURIComponent(`${appUrl}/api/inngest`);
  await fetch(`${engineUrl}/fn/remove?url=${url}`, { method: "DELETE" }).catch(() => {});
}

function openMembers(
  { apps, apis, plant, engineUrl }: ChaosOptions,
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
    ...(engineUrl === undefined ? [make("engine", 0)] : []),
    ...Array.from({ length: apps }, (_, index) => make("app", index)),
    ...Array.from({ length: apis }, (_, index) => make("api", index)),
  ];
}
