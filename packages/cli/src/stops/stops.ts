import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { nameMatches } from "@countersign/policy/internal/policy/rules/tool-pattern";
import { didYouMean } from "@countersign/policy/internal/shared/did-you-mean";
import type { Stop } from "countersign";
import type { StoreVerbs } from "countersign/internal";
import type { StopActor } from "countersign/types";
import { actorName } from "../audit/actor.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { sameDatabase, withStore } from "../with-store.js";

interface DatabaseOptions {
  databaseUrl?: string | undefined;
  json?: boolean | undefined;
}

export interface StopOptions extends DatabaseOptions {
  tenant?: string | undefined;
  tool: string;
  reason: string;
  by?: string | undefined;
}

export interface ReleaseOptions extends DatabaseOptions {
  reason: string;
  by?: string | undefined;
}

export interface ListStopsOptions extends DatabaseOptions {
  tenant?: string | undefined;
  all?: boolean | undefined;
}

/** `stop`: stops calls of matching tools. */
export async function stopCalls(options: StopOptions, io: CliIo): Promise<ExitCode> {
  const { tool, reason } = options;
  const tenantId = tenantOf(options);
  const by = actorOf(options);
  return withStore(options.databaseUrl, "nothing was stopped", async (store) => {
    const isKnown = tenantId === null || (await store.auditPosition(tenantId)) > 0;
    const stop = await store.engageStop({ tenantId, tool, reason, by });
    if (!isKnown) {
      io.err(`warning: the tenant ${escaped(tenantId)} has made no calls yet; check the name\n`);
    } else if (tool !== "*") await warnOfNoMatch(store, stop, io);
    if (options.json) io.out(`${JSON.stringify(stop)}\n`);
    else {
      const calls = stop.tool === "*" ? "ALL CALLS" : `calls of ${escaped(stop.tool)}`;
      io.out(`STOPPED: ${calls} ${placeOf(stop)}\n`);
      io.out(
        `Release: npx countersign release ${stop.id}${sameDatabase(options.databaseUrl)} --reason "…"\n`,
      );
    }
    return exitCodes.ok;
  });
}

/** `release`: releases a stop. */
export async function releaseStop(id: string, options: ReleaseOptions, io: CliIo): Promise<ExitCode> {
  const by = actorOf(options);
  return withStore(options.databaseUrl, "nothing was released", async (store) => {
    const result = await store.releaseStop({ id, tenantId: null, reason: options.reason, by });
    if (result.outcome === "not_found") {
      io.err(`Unknown stop ${id}. List stops: npx countersign stops${sameDatabase(options.databaseUrl)}\n`);
      return exitCodes.failed;
    }
    const { stop } = result;
    if (options.json) io.out(`${JSON.stringify(stop)}\n`);
    else if (result.outcome === "repeated") io.out(`${escaped(stop.releasedBy)} has already released it.\n`);
    else io.out(`Released: calls of ${escaped(stop.tool)} ${placeOf(stop)}\n`);
    await warnOfOthers(store, stop, io);
    return exitCodes.ok;
  });
}

/** `stops`: lists engaged stops, or all stops. */
export async function listStops(options: ListStopsOptions, io: CliIo): Promise<ExitCode> {
  const tenantId = tenantOf(options);
  return withStore(options.databaseUrl, "the stops cannot be read", async (store) => {
    let after: { at: Date; id: string } | undefined;
    let found = 0;
    do {
      const page: Stop[] = await store.listStops({
        tenantId,
        engaged: options.all !== true,
        limit: pageSize,
        ...(after && { after }),
      });
      for (const stop of page) io.out(options.json ? `${JSON.stringify(stop)}\n` : `${lineOf(stop)}\n`);
      found += page.length;
      const last = page.length === pageSize ? page.at(-1) : undefined;
      after = last && { at: last.engagedAt, id: last.id };
    } while (after);
    if (found === 0 && !options.json) io.out("No stops are engaged.\n");
    return exitCodes.ok;
  });
}

const pageSize = 200;

/** Warns if the stop covers no known tool. The stop is engaged already, so this may fail. */
async function warnOfNoMatch(store: StoreVerbs, { tenantId, tool }: Stop, io: CliIo): Promise<void> {
  const known = await store.recentTools(tenantId).catch(() => undefined);
  if (!known || known.some((name) => nameMatches(tool, name))) return;
  io.err(
    `warning: ${escaped(tool)} matches no tool whose calls needed approval in the last 30 days${didYouMean(tool, known) || "."} Names are case-sensitive, and calls that the policy allows are not recorded.\n`,
  );
}

/** Warns if another stop still covers calls of the same tools. */
async function warnOfOthers(store: StoreVerbs, { tenantId, tool }: Stop, io: CliIo): Promise<void> {
  const engaged = await store.engagedStops();
  const others = engaged.filter(
    (stop) =>
      (stop.tenantId === null || tenantId === null || stop.tenantId === tenantId) &&
      (stop.tool === "*" || stop.tool === tool),
  );
  for (const other of others) io.err(`still stopped: ${lineOf(other)}\n`);
}

/** An empty name probably comes from an unset variable, and must not mean all tenants. */
function tenantOf({ tenant }: { tenant?: string | undefined }): string | null {
  if (tenant === "") throw new UsageError("--tenant: must not be empty; omit it for all tenants");
  return tenant ?? null;
}

function actorOf(options: { by?: string | undefined }): StopActor {
  return { id: actorName(options), roles: [], authenticatedBy: "command line" };
}

function placeOf({ tenantId }: Stop): string {
  return tenantId === null ? "of ALL TENANTS" : `of the tenant ${escaped(tenantId)}`;
}

function lineOf(stop: Stop): string {
  const engaged = `${stop.id} ${escaped(stop.tool)} ${placeOf(stop)}, since ${stop.engagedAt.toISOString()} by ${escaped(stop.engagedBy)}: ${escaped(stop.reason)}`;
  if (stop.releasedAt === null) return engaged;
  return `${engaged} (released ${stop.releasedAt.toISOString()} by ${escaped(stop.releasedBy)}: ${escaped(stop.releaseReason)})`;
}

/** Escapes text from others, so that it cannot control the terminal. */
function escaped(text: string | null): string {
  return JSON.stringify(text === null ? null : visibleText(text, Number.POSITIVE_INFINITY));
}
