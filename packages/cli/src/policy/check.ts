import { formatProblem } from "@countersign/policy/internal/policy/files/policy-problem";
import {
  formatUnruled,
  misspelledGlobs,
  unruledTools,
} from "@countersign/policy/internal/policy/files/unruled-tools";
import { unknownChannels } from "@countersign/policy/internal/policy/named-channels";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { loadFiles, reportProblems, rulesOf } from "./load-files.js";
import { namedTool } from "./named-tool.js";

export interface CheckOptions {
  tools?: string | undefined;
  mcpServer?: string | undefined;
  channels?: string | undefined;
  json?: boolean | undefined;
}

/** `policy check`: validates policy files and compares them with the names of tools and channels. */
export function check(
  files: readonly string[],
  { tools: names, mcpServer, channels, json = false }: CheckOptions,
  io: CliIo,
): ExitCode {
  if (mcpServer !== undefined && names === undefined) throw new UsageError("--mcp-server needs --tools");
  const servers = namesIn(mcpServer) ?? [];
  const tools = namesIn(names)?.map((name) => namedTool(name, servers));
  const channelNames = namesIn(channels);
  const joined = loadFiles(files);
  if (!joined.ok) return reportProblems(io, joined.problems, json);
  const named = loadFiles(files, tools);
  const problems = named.ok ? [] : named.problems;
  const { policy, notes } = joined;
  const unruled = tools ? unruledTools(policy, rulesOf(files), tools) : [];
  const misspelled = tools ? misspelledGlobs(policy, tools) : [];
  const wrongChannels = channelNames ? unknownChannels(policy.channels?.() ?? [], channelNames) : [];
  // A policy with a default rule covers every tool.
  const ok =
    problems.length + misspelled.length + wrongChannels.length === 0 &&
    unruled.every(({ hasDefault }) => hasDefault);
  const code = ok ? exitCodes.ok : exitCodes.failed;
  if (json) {
    const { version, profiles, defaultProfile = null } = policy;
    const facts = { policyVersion: version, profiles, defaultProfile, notes };
    io.out(
      `${JSON.stringify({ ok, ...facts, ...(ok ? {} : { problems }), unruled, misspelled, ...(channelNames && { unknownChannels: wrongChannels }) }, null, 2)}\n`,
    );
    return code;
  }
  for (const note of notes) io.out(`warning: ${formatProblem(note)}\n`);
  for (const problem of problems) io.err(`${formatProblem(problem)}\n`);
  for (const problem of wrongChannels) io.err(`${problem}\n`);
  for (const tool of unruled) {
    if (tool.hasDefault) io.out(`note: ${formatUnruled(tool)}\n`);
    else io.err(`${formatUnruled(tool)}\n`);
  }
  for (const { tool, glob } of misspelled) {
    io.err(`${tool}: the rule for "${glob}" covers no tool, and not this one because its spelling differs\n`);
  }
  const listed = policy.profiles.length > 0 ? `, profiles ${policy.profiles.join(", ")}` : "";
  if (ok) io.out(`${files.join(" and ")}: valid (version ${policy.version.slice(0, 12)}${listed})\n`);
  return code;
}

function namesIn(list: string | undefined): string[] | undefined {
  return list?.split(",").map((name) => name.trim());
}
