import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { DecidedCall } from "@countersign/policy/internal/policy/suggestions/decided-call";
import { suggestRules } from "@countersign/policy/internal/policy/suggestions/suggest-rules";
import { durationMs } from "@countersign/policy/internal/shared/duration";
import ms from "ms";
import * as z from "zod";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { unifiedDiff } from "../unified-diff.js";
import { databaseOf } from "../with-store.js";
import { decidedInDatabase } from "./database-calls.js";
import { decidedInFile } from "./decided-calls.js";
import { layerOf, loadFiles, reportProblems } from "./load-files.js";
import { suggestionsText } from "./suggestions-text.js";

export interface SuggestCommandOptions {
  calls?: string;
  databaseUrl?: string;
  tenant?: string;
  atLeast: string;
  atLeastDenied: string;
  since?: string;
  holdOut: string;
  out?: string;
  json?: boolean;
}

/** `policy suggest`: suggests rules for calls that people always approved or always denied. Changes no policy file. */
export async function suggest(
  paths: readonly string[],
  options: SuggestCommandOptions,
  io: CliIo,
): Promise<ExitCode> {
  const { json = false, out } = options;
  const minApprovals = minimum("--at-least", options.atLeast);
  const minDenials = minimum("--at-least-denied", options.atLeastDenied);
  const { learnFrom, learnUntil, holdOut } = timesOf(options, Date.now());
  const source = sourceOf(options);
  const joined = loadFiles(paths);
  if (!joined.ok) return reportProblems(io, joined.problems, json);
  const files = paths.map((file, index) => ({
    file,
    layer: layerOf(index),
    text: readFileSync(file, "utf8"),
  }));
  const calls: DecidedCall[] = [];
  for await (const call of source) calls.push(call);
  const found = await suggestRules({ files, calls, learnUntil, learnFrom, minApprovals, minDenials });
  const diff = found.files.map(diffOf).join("");
  if (out !== undefined && diff !== "") writeNew(out, diff);
  if (json) io.out(`${JSON.stringify({ ...found, files: undefined, learnUntil, diff }, null, 2)}\n`);
  else io.out(suggestionsText(found, { learnUntil, holdOut, diff, out }));
  return exitCodes.ok;
}

function minimum(option: string, text: string): number {
  const parsed = z.coerce.number().int().min(3).max(1_000_000).safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${option}: must be a whole number of at least 3, such as "20"`);
}

function timesOf({ since, holdOut }: SuggestCommandOptions, now: number) {
  const held = durationMs(holdOut);
  if (held === undefined || held <= 0) {
    throw new UsageError(
      '--hold-out: must be a duration, such as "30d"; without it, nothing tests a suggestion',
    );
  }
  const times = { learnUntil: new Date(now - held), holdOut: ms(held, { long: true }) };
  if (since === undefined) return { ...times, learnFrom: undefined };
  const parsed = z.union([z.iso.date(), z.iso.datetime({ offset: true })]).safeParse(since);
  if (!parsed.success) throw new UsageError('--since: must be a date or a time, such as "2026-01-31"');
  const learnFrom = new Date(parsed.data);
  if (learnFrom < times.learnUntil) return { ...times, learnFrom };
  throw new UsageError(
    `--since: must be before ${times.learnUntil.toISOString()}, because --hold-out keeps the calls since then for the test`,
  );
}

function sourceOf({ calls, databaseUrl, tenant }: SuggestCommandOptions): AsyncIterable<DecidedCall> {
  if (calls !== undefined && databaseUrl !== undefined) {
    throw new UsageError("set where the decided calls are: either --calls FILE or --database-url URL");
  }
  if (tenant === "") throw new UsageError("--tenant: must not be empty; omit it for all tenants");
  if (calls === undefined) return decidedInDatabase(databaseOf(databaseUrl, ", --calls FILE"), { tenant });
  if (tenant !== undefined) throw new UsageError("--tenant: applies to a database, not to --calls");
  return decidedInFile(calls);
}

/** `patch` refuses absolute names. */
function diffOf({ file, before, after }: { file: string; before: string; after: string }): string {
  const name = relative("", file);
  return unifiedDiff({ from: name, to: name }, before, after);
}

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    const fix =
      code === "EEXIST" ? "it exists; remove it or choose another name" : `cannot be written (${code})`;
    throw new UsageError(`--out: ${file}: ${fix}`);
  }
}
