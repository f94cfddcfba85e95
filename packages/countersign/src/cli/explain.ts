import { z } from "zod";
import type { Explanation, PolicyCall } from "../policy/policy.js";
import { type CliIo, type ExitCode, exitCodes } from "./cli-io.js";
import { jsonOption, principalOption } from "./json-option.js";
import { loadFiles, reportProblems } from "./load-files.js";

export interface ExplainOptions {
  tool: string;
  input?: string | undefined;
  principal?: string | undefined;
  thread?: string | undefined;
  profile?: string | undefined;
  json?: boolean | undefined;
}

/** `policy explain`: the verdict about one call, with every rule that matched. */
export function explain(files: readonly string[], options: ExplainOptions, io: CliIo): ExitCode {
  const call: PolicyCall = {
    toolName: options.tool,
    input: jsonOption("--input", options.input ?? "{}", z.unknown()),
    principal: options.principal ? jsonOption("--principal", options.principal, principalOption) : null,
    thread: options.thread === undefined ? null : { id: options.thread },
    profile: options.profile,
  };
  const joined = loadFiles(files);
  if (!joined.ok) return reportProblems(io, joined.problems, options.json ?? false);
  const explanation = joined.policy.explain(call);
  io.out(options.json ? `${JSON.stringify(explanation, null, 2)}\n` : forPeople(call.toolName, explanation));
  return exitCodes.fine;
}

function forPeople(toolName: string, { kind, terms, matched, policyVersion }: Explanation): string {
  const facts: [string, string | null][] = [
    ["reason", terms.reason],
    ["risk", terms.risk],
    ["approver roles", terms.approvers.roles.join(", ")],
    ["approver ids", terms.approvers.ids.join(", ")],
    ["decisions", kind === "ask" || kind === "manual" ? terms.decisions.join(", ") : null],
    ["timeout", terms.timeoutMs === null ? null : `${terms.timeoutMs / 1000} s`],
    ["redacted", terms.redact.join(", ")],
  ];
  const rules = matched.map(
    ({ id, layer, verdict, because, reason }) =>
      `  ${verdict.padEnd(6)} ${layer}: ${id} (${because})${reason ? `: ${reason}` : ""}\n`,
  );
  return [
    `${toolName}: ${kind}\n`,
    ...facts.filter(([, value]) => value).map(([name, value]) => `  ${name}: ${value}\n`),
    `rules that matched, of version ${policyVersion.slice(0, 12)}:\n`,
    ...rules,
  ].join("");
}
