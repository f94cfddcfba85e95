import {
  formatUnruled,
  type UnruledTool,
  unruledTools,
} from "@countersign/policy/internal/policy/files/unruled-tools";
import type { Explanation } from "@countersign/policy/internal/policy/policy";
import type { PolicyCall, ToolFacts } from "@countersign/policy/internal/policy/policy-call";
import type { PreviewFacts } from "@countersign/policy/internal/policy/preview-facts";
import type { VerdictKind } from "@countersign/policy/internal/policy/rules/rule";
import * as z from "zod";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { annotationsOption, factsOption, jsonOption, principalOption } from "../json-option.js";
import { loadFiles, reportProblems, rulesOf } from "./load-files.js";
import { toolOfServer } from "./named-tool.js";
import { termLines } from "./term-lines.js";

export interface ExplainOptions {
  tool: string;
  input?: string | undefined;
  principal?: string | undefined;
  thread?: string | undefined;
  profile?: string | undefined;
  mcpServer?: string | undefined;
  annotations?: string | undefined;
  effects?: string | undefined;
  reversible?: string | undefined;
  counted?: string | undefined;
  json?: boolean | undefined;
}

/** `policy explain`: shows the verdict for a call, every matching rule, and the rules for the tool that do not match. */
export function explain(files: readonly string[], options: ExplainOptions, io: CliIo): ExitCode {
  const call: PolicyCall = {
    ...toolOf(options),
    input: jsonOption("--input", options.input ?? "{}", z.unknown()),
    principal: options.principal ? jsonOption("--principal", options.principal, principalOption) : null,
    thread: options.thread === undefined ? null : { id: options.thread },
    profile: options.profile,
    ...previewOf(options),
    counted: options.counted ? jsonOption("--counted", options.counted, factsOption.counted) : null,
  };
  const joined = loadFiles(files);
  if (!joined.ok) return reportProblems(io, joined.problems, options.json ?? false);
  const explanation = joined.policy.explain(call);
  const counts = joined.policy.countsFor?.(call) ?? [];
  const counted = Object.fromEntries(counts.map(({ text }) => [text, call.counted?.[text] ?? null]));
  const [unruled] = unruledTools(joined.policy, rulesOf(files), [call]);
  // Of a server that is neither known nor trusted.
  const ofMcp = call.mcp ? undefined : joined.policy.explain({ ...call, mcp: { server: "" } }).kind;
  const ifMcpTool = ofMcp === explanation.kind ? undefined : ofMcp;
  if (options.json) {
    const found = { ...explanation, counted, unruled: unruled ?? null, ifMcpTool: ifMcpTool ?? null };
    io.out(`${JSON.stringify(found, null, 2)}\n`);
  } else io.out(forPeople(call.toolName, { ...explanation, counted }, unruled, ifMcpTool));
  return exitCodes.ok;
}

function toolOf({ tool, mcpServer, annotations }: ExplainOptions): ToolFacts {
  if (mcpServer === undefined) {
    if (annotations !== undefined) throw new UsageError("--annotations needs --mcp-server");
    return { toolName: tool };
  }
  const hints = jsonOption("--annotations", annotations ?? "{}", annotationsOption);
  return toolOfServer(tool, { server: mcpServer, ...hints });
}

function previewOf({ effects, reversible }: ExplainOptions): PreviewFacts {
  if (effects === undefined) {
    if (reversible !== undefined) throw new UsageError("--reversible needs --effects");
    return {};
  }
  const isWord = reversible === "true" || reversible === "false";
  return {
    effects: jsonOption("--effects", effects, factsOption.effects),
    reversible:
      reversible === undefined
        ? null
        : jsonOption(
            "--reversible",
            isWord ? reversible : JSON.stringify(reversible),
            factsOption.reversible,
          ),
  };
}

function forPeople(
  toolName: string,
  {
    kind,
    terms,
    matched,
    skipped = [],
    policyVersion,
    counted,
  }: Explanation & { counted: Record<string, number | null> },
  unruled: UnruledTool | undefined,
  ifMcpTool: VerdictKind | undefined,
): string {
  const counts = Object.entries(counted).map(([text, total]): [string, string] => [
    text,
    total === null ? "not known here; give it with --counted" : String(total),
  ]);
  const rules = matched.map(
    ({ id, layer, verdict, because, reason }) =>
      `  ${verdict.padEnd(6)} ${layer}: ${id} (${because})${reason ? `: ${reason}` : ""}\n`,
  );
  return [
    `${toolName}: ${kind}\n`,
    ...(unruled ? [`${formatUnruled(unruled)}\n`] : []),
    ...(ifMcpTool
      ? [
          `  if this is an MCP server's tool: ${ifMcpTool}, unless the server marks it as harmless or mcp.trustedServers names the server (see --mcp-server)\n`,
        ]
      : []),
    ...[...termLines(kind, terms), ...counts].map(([name, value]) => `  ${name}: ${value}\n`),
    `matching rules (policy version ${policyVersion.slice(0, 12)}):\n`,
    ...rules,
    ...(skipped.length > 0 ? ["skipped rules for this tool:\n"] : []),
    ...skipped.map(({ id, layer, because }) => `  ${layer}: ${id} (${because})\n`),
  ].join("");
}
