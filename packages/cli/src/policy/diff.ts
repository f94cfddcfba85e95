import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { type Difference, diffCalls } from "@countersign/policy/internal/policy/diff-calls";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { databaseOf } from "../with-store.js";
import { callsOfDatabase } from "./database-calls.js";
import { loadFiles, reportProblems } from "./load-files.js";
import { callsOfFile } from "./past-calls.js";

export interface DiffOptions {
  live: string[];
  candidate: string[];
  calls?: string | undefined;
  databaseUrl?: string | undefined;
  exitCode?: boolean | undefined;
  json?: boolean | undefined;
}

/** `policy diff`: compares the verdicts of two policies for past calls. */
export async function diff(options: DiffOptions, io: CliIo): Promise<ExitCode> {
  const { calls: file, databaseUrl, json = false } = options;
  if (file !== undefined && databaseUrl !== undefined) {
    throw new UsageError("set the calls to replay: either --calls FILE or --database-url URL");
  }
  const live = loadFiles(options.live);
  const candidate = loadFiles(options.candidate);
  if (!live.ok || !candidate.ok) {
    const problems = [live, candidate].flatMap((joined) => (joined.ok ? [] : joined.problems));
    return reportProblems(io, problems, json);
  }
  const calls =
    file === undefined ? callsOfDatabase(databaseOf(databaseUrl, ", --calls FILE")) : callsOfFile(file);
  const { replayed, differences } = await diffCalls(live.policy, candidate.policy, calls);
  if (json) {
    const versions = { liveVersion: live.policy.version, candidateVersion: candidate.policy.version };
    io.out(`${JSON.stringify({ ...versions, replayed, differences }, null, 2)}\n`);
  } else {
    for (const line of forPeople(differences)) io.out(`${line}\n`);
    if (file === undefined) {
      io.out("note: the database has no calls with verdict allow, and no requester roles\n");
    }
    io.out(`${differences.length} of ${replayed} calls would change\n`);
  }
  return options.exitCode && differences.length > 0 ? exitCodes.failed : exitCodes.ok;
}

const maxExamples = 3;

/** One line per tool and change, with up to three examples. */
function forPeople(differences: readonly Difference[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { change, toolName, from, to, terms, at } of differences) {
    const what = change === "terms" ? `${from}, with other ${terms.join(", ")}` : `${from} → ${to}`;
    const line = `${change.padEnd(8)} ${visibleText(toolName, 120)}: ${what}`;
    groups.set(line, [...(groups.get(line) ?? []), at]);
  }
  return [...groups].map(([line, places]) => {
    const more = places.length > maxExamples ? ` and ${places.length - maxExamples} more` : "";
    return `${line} (${places.slice(0, maxExamples).join(", ")}${more})`;
  });
}
