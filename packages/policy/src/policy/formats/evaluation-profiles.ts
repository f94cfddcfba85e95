import * as z from "zod";
import { type FileFormat, type FormatInput, sourceOf, unknownTools } from "../files/file-format.js";
import { schemaProblems } from "../files/schema-problems.js";
import type { CompiledRule } from "../rules/compiled-rule.js";
import { bridgeCodePreview } from "../rules/merging.js";
import type { VerdictKind } from "../rules/rule.js";
import type { Terms } from "../rules/terms.js";
import { type EvalProfileConfig, evaluationSchema } from "./profile-config.js";

const everyTool = ["*"];

/** Other fields belong to the bridge's own configuration. */
const evaluationFileSchema = z.object({ evaluation: evaluationSchema });

/**
 * The `evaluation.profiles` of an MCP bridge's configuration: lists of globs by profile. In each profile, deny wins
 * over ask and ask over allow. A tool on no list is denied if there is an allowlist, otherwise allowed. Rules of
 * other layers still tighten. Three things differ from the bridge and are reported as notes: without
 * `evaluation.defaultProfile`, tools of agents without a profile are denied; `elicitationFallback` never applies,
 * because there is always an inbox; and people are asked about a tool on an allowlist if its MCP server neither marks
 * it as harmless nor is trusted. As in the bridge's prompt, people see the calls found in a script: in the argument
 * `code`, on the object `codemode`, unless `evaluation.codePreview` names others or is `false`.
 */
export const evaluationProfilesFormat: FileFormat = {
  recognises: (value) => "evaluation" in value && !("rules" in value || "version" in value),
  read(input) {
    const { document, layer } = input;
    const parsed = evaluationFileSchema.safeParse(document.value);
    if (!parsed.success) {
      return { ok: false, problems: schemaProblems(document, evaluationFileSchema, parsed.error) };
    }
    const { defaultProfile, profiles = {}, codePreview = bridgeCodePreview } = parsed.data.evaluation;
    const asked = codePreview ? { codePreview } : {};
    const entries = Object.entries(profiles);
    const problems = entries.flatMap(([name, profile]) => unknownTools(input, namesOf(name, profile)));
    if (problems.length > 0) return { ok: false, problems };
    const source = sourceOf(layer, parsed.data, {
      rules: entries.flatMap(([name, profile]) => rulesOf(name, profile, asked)),
      profiles: Object.fromEntries(entries.map(([name]) => [name, []])),
      defaultProfile,
    });
    return { ok: true, source, notes: notesOn(input, profiles, defaultProfile) };
  },
};

function rulesOf(
  profile: string,
  { allowlist, asklist = [], denylist = [] }: EvalProfileConfig,
  asked: Terms,
): CompiledRule[] {
  const rule = (
    list: string,
    tools: readonly string[],
    verdict: VerdictKind,
    { terms = {}, except = [] }: { terms?: Terms; except?: readonly string[] } = {},
  ): CompiledRule => ({
    id: `evaluation.profiles.${profile}.${list}`,
    layer: "profile",
    profile,
    tools,
    except,
    effect: { kind: "static", verdict, terms },
  });
  const reason = `The profile "${profile}" does not list this tool`;
  return [
    rule("denylist", denylist, "deny"),
    rule("asklist", asklist, "ask", { terms: asked }),
    rule("allowlist", allowlist ?? everyTool, "allow"),
    ...(allowlist
      ? [rule("unlisted", everyTool, "deny", { terms: { reason }, except: [...allowlist, ...asklist] })]
      : []),
  ];
}

function namesOf(profile: string, lists: EvalProfileConfig) {
  return (["allowlist", "denylist", "asklist"] as const).flatMap((list) =>
    (lists[list] ?? []).map((name, index) => ({
      name,
      path: ["evaluation", "profiles", profile, list, index],
    })),
  );
}

const fallbackNeverApplies =
  '"allow" never applies: a tool on the asklist always waits in the inbox, and expires if nobody decides in ' +
  "time, because approval does not depend on the agent's client";
const mcpToolsAreAsked =
  "does not suffice for a tool of an MCP server: people are still asked about it, unless the server marks it as harmless or is trusted";
const trustingServers = 'name trusted servers in "mcp.trustedServers" of a second file or of definePolicy';
const noDefaultProfile =
  "has no defaultProfile. In the bridge, calls without a profile are then unrestricted; in Countersign, the tools of an " +
  "agent without a profile are denied instead, unless another layer covers them, because a tool runs only if a rule allows it";
const namingDefaultProfile =
  'set a defaultProfile; "defaultProfile": "open" with the profile "open": {} allows every tool';

function notesOn(
  { document }: FormatInput,
  profiles: Readonly<Record<string, EvalProfileConfig>>,
  defaultProfile: string | undefined,
) {
  const notes = Object.entries(profiles)
    .filter(([, profile]) => profile.elicitationFallback === "allow")
    .map(([name]) =>
      document.problem(
        ["evaluation", "profiles", name, "elicitationFallback"],
        fallbackNeverApplies,
        'remove tools that may run without approval from the list "asklist"',
      ),
    );
  const allowing = Object.keys(profiles).find((name) => profiles[name]?.allowlist?.length);
  if (allowing !== undefined) {
    const path = ["evaluation", "profiles", allowing, "allowlist"];
    notes.push(document.problem(path, mcpToolsAreAsked, trustingServers, "key"));
  }
  if (defaultProfile === undefined) {
    notes.push(document.problem(["evaluation"], noDefaultProfile, namingDefaultProfile, "key"));
  }
  return notes;
}
