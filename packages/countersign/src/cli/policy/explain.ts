import { z } from "zod";
import { formatUnruled, type UnruledTool, unruledTools } from "../../policy/files/unruled-tools.js";
import type { Explanation } from "../../policy/policy.js";
import type { PolicyCall } from "../../policy/policy-call.js";
import { type CliIo, type ExitCode, exitCodes } from "../cli-io.js";
import { jsonOption, principalOption } from "../json-option.js";
import { loadFiles, reportProblems, rulesOf } from "./load-files.js";

export interface ExplainOptions {
  tool: string;
  input?: string | undefined;
  principal?: string | undefined;
  thread?: string | undefined;
  profile?: string | undefined;
  json?: boolean | undefined;
}

/** `policy explain`: shows the verdict for a call and every matching rule. */
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
  const [unruled] = unruledTools(joined.policy, rulesOf(files), [call.toolName]);
  if (options.json) io.out(`${JSON.stringify({ ...explanation, unruled: unruled ?? null }, null, 2)}\n`);
  else io.out(forPeople(call.toolName, explanation, unruled));
  return exitCodes.ok;
}

function forPeople(
  toolName: string,
  { kind, terms, matched, policyVersion }: Explanation,
  unruled: UnruledTool | undefined,
): string {
  const facts: [string, string | null][] = [
    ["reason", terms.reason],
    ["risk", terms.risk],
    ["approver roles", terms.approvers.roles.join(", ")],
    ["approver ids", terms.approvers.ids.join(", ")],
    ["decisions", kind === "ask" || kind === "manual" ? terms.decisions.join(", ") : null],
    ["timeout", terms.timeoutMs === null ? null : `${terms.timeoutMs / 1000} s`],
    ["decided in", kind === "ask" || kind === "manual" ? terms.decideIn.join(", ") : null],
    ["notified", terms.notify.join(", ")],
    ["redacted", terms.redact.join(", ")],
  ];
  const rules = matched.map(
    ({ id, layer, verdict, because, reason }) =>
      `  ${verdict.padEnd(6)} ${layer}: ${id} (${because})${reason ? `: ${reason}` : ""}\n`,
  );
  return [
    `${toolName}: ${kind}\n`,
    ...(unruled ? [`${formatUnruled(unruled)}\n`] : []),
    ...facts.filter(([, value]) => value).map(([name, value]) => `  ${name}: ${value}\n`),
    `matching rules (policy version ${policyVersion.slice(0, 12)}):\n`,
    ...rules,
  ].join("");
}
