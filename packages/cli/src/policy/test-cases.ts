import type { PolicyProblem } from "@countersign/policy/internal/policy/files/policy-problem";
import { readText } from "@countersign/policy/internal/policy/files/read-policy-file";
import { schemaProblems } from "@countersign/policy/internal/policy/files/schema-problems";
import { readDocument } from "@countersign/policy/internal/policy/files/source-document";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import { type VerdictKind, verdictKinds } from "@countersign/policy/internal/policy/rules/rule";
import * as z from "zod";
import { type CliIo, type ExitCode, exitCodes } from "../cli-io.js";
import { factsOption, mcpOption, principalOption } from "../json-option.js";
import { loadFiles, reportProblems } from "./load-files.js";
import { toolOfServer } from "./named-tool.js";

const casesSchema = z.array(
  z.strictObject({
    name: z.string().optional(),
    tool: z.string().min(1),
    input: z.unknown().optional(),
    principal: principalOption.optional(),
    thread: z.string().optional(),
    profile: z.string().optional(),
    mcp: mcpOption.optional(),
    ...factsOption,
    expect: z.enum(verdictKinds),
  }),
);
type Case = z.infer<typeof casesSchema>[number];

interface Result {
  name: string;
  expected: VerdictKind;
  actual: VerdictKind;
  passed: boolean;
  /** The matching rules, as `layer: id says verdict`. */
  because: string[];
}

/** `policy test`: checks that a policy gives the expected verdicts for a list of cases. */
export function testCases(
  files: readonly string[],
  { cases: casesFile, json = false }: { cases: string; json?: boolean | undefined },
  io: CliIo,
): ExitCode {
  const joined = loadFiles(files);
  const cases = readCases(casesFile);
  const problems = [...(joined.ok ? [] : joined.problems), ...(cases.ok ? [] : cases.problems)];
  if (!joined.ok || !cases.ok) return reportProblems(io, problems, json);
  const results = cases.cases.map((item) => judge(joined.policy, item));
  const failed = results.filter((result) => !result.passed);
  if (json) io.out(`${JSON.stringify({ ok: failed.length === 0, results }, null, 2)}\n`);
  else for (const line of forPeople(results)) io.out(`${line}\n`);
  return failed.length === 0 ? exitCodes.ok : exitCodes.failed;
}

function readCases(file: string): { ok: true; cases: Case[] } | { ok: false; problems: PolicyProblem[] } {
  const read = readText(file);
  if (!read.ok) return { ok: false, problems: [read.problem] };
  const parsed = readDocument(read.text, file);
  if (!parsed.ok) return parsed;
  const { document } = parsed;
  const cases = casesSchema.safeParse(document.value);
  if (!cases.success) return { ok: false, problems: schemaProblems(document, casesSchema, cases.error) };
  // An empty list would always pass.
  if (cases.data.length === 0) {
    return { ok: false, problems: [document.problem([], "the file has no cases", "add { tool, expect }")] };
  }
  return { ok: true, cases: cases.data };
}

function judge(policy: Policy, item: Case): Result {
  const {
    name,
    tool,
    input = {},
    principal,
    thread,
    profile,
    mcp,
    effects,
    reversible,
    counted,
    expect,
  } = item;
  const call = {
    ...(mcp ? toolOfServer(tool, mcp) : { toolName: tool }),
    input,
    principal,
    thread: thread === undefined ? null : { id: thread },
    profile,
    effects,
    reversible,
    counted,
  };
  const { kind, matched } = policy.explain(call);
  return {
    name: name ?? `${tool} ${JSON.stringify(input)}`,
    expected: expect,
    actual: kind,
    passed: kind === expect,
    because: matched.map((rule) => `${rule.layer}: ${rule.id} says ${rule.verdict}`),
  };
}

function forPeople(results: readonly Result[]): string[] {
  const lines = results.map(({ name, expected, actual, passed, because }) =>
    passed
      ? `ok      ${name}`
      : `FAILED  ${name}: expected ${expected}, got ${actual} (${because.join("; ")})`,
  );
  const passed = results.filter((result) => result.passed).length;
  return [...lines, `${passed} of ${results.length} cases passed`];
}
