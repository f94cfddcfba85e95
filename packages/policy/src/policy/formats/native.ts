import type { LayerDefault } from "../evaluate.js";
import { type FileFormat, type FormatInput, sourceOf, unknownTools } from "../files/file-format.js";
import type { PolicyProblem } from "../files/policy-problem.js";
import { schemaProblems } from "../files/schema-problems.js";
import type { Layer } from "../policy-call.js";
import { compileRule, RuleProblem } from "../rules/compile-rule.js";
import { type CompiledRule, countsOf } from "../rules/compiled-rule.js";
import type { Rule } from "../rules/rule-schema.js";
import { ruleWarnings } from "../rules/rule-warnings.js";
import { type PolicyFile, policyFileSchema } from "./native-schema.js";

/** Countersign's own format: rules, profiles and a default. */
export const nativeFormat: FileFormat = {
  recognises: () => true,
  read(input) {
    const { document, layer } = input;
    const parsed = policyFileSchema.safeParse(document.value);
    if (!parsed.success) {
      return { ok: false, problems: schemaProblems(document, policyFileSchema, parsed.error) };
    }
    const { $schema: _, ...file } = parsed.data;
    const found: Found = { problems: [], notes: [], ids: new Set() };
    const rules = compileAll(input, file.rules, ["rules"], { layer }, found);
    const profiles: Record<string, string[]> = {};
    for (const [name, profile] of Object.entries(file.profiles ?? {})) {
      profiles[name] = [profile.extends ?? []].flat();
      const path = ["profiles", name, "rules"];
      rules.push(...compileAll(input, profile.rules ?? [], path, { layer: "profile", profile: name }, found));
    }
    if (found.problems.length > 0) return { ok: false, problems: found.problems };
    const source = sourceOf(layer, file, {
      rules,
      defaults: defaultsOf(file, layer),
      profiles,
      trustedServers: file.mcp?.trustedServers ?? [],
      defaultProfile: file.defaultProfile,
    });
    return { ok: true, source, notes: found.notes };
  },
};

/** Problems and warnings found while compiling rules. */
interface Found {
  problems: PolicyProblem[];
  notes: PolicyProblem[];
  /** Ids that rules have. */
  ids: Set<string>;
}

const sameId = "is the id of another rule, too, so explanations and the audit log cannot tell them apart";
const ownId = "give each rule its own id";

function defaultsOf(file: PolicyFile, layer: Layer): LayerDefault[] {
  if (file.default === undefined) return [];
  if (typeof file.default === "string") return [{ layer, verdict: { kind: file.default } }];
  const { verdict: kind, ...terms } = file.default;
  return [{ layer, verdict: { ...terms, kind } }];
}

function compileAll(
  input: FormatInput,
  rules: readonly Rule[],
  path: readonly string[],
  at: { layer: Layer; profile?: string },
  { problems, notes, ids }: Found,
): CompiledRule[] {
  return rules.flatMap((rule, index) => {
    const place = [...path, index];
    if (input.tools) problems.push(...unknownTools(input, namesOf(input, rule, place)));
    try {
      const compiled = compileRule(rule, { ...at, place: place.join(".") });
      const { effect } = compiled;
      const warnings = (effect.kind === "static" && effect.when?.warnings) || [];
      const counted = countsOf(compiled).map(({ tool }) => ({ name: tool, path: [...place, "when"] }));
      if (input.tools) problems.push(...unknownTools(input, counted));
      notes.push(...warnings.map((warning) => input.document.problem([...place, "when"], warning)));
      for (const { field, message, suggestion } of ruleWarnings(rule)) {
        notes.push(input.document.problem([...place, ...field.split(".")], message, suggestion));
      }
      if (ids.has(compiled.id)) notes.push(input.document.problem([...place, "id"], sameId, ownId));
      ids.add(compiled.id);
      return [compiled];
    } catch (error) {
      if (!(error instanceof RuleProblem)) throw error;
      problems.push(input.document.problem([...place, ...error.field.split(".")], error.message));
      return [];
    }
  });
}

/** The rule's tool names with their paths. A single name may be written without a list. */
function namesOf({ document }: FormatInput, rule: Rule, place: readonly (string | number)[]) {
  return (["tools", "except"] as const).flatMap((field) =>
    (rule[field] ?? []).map((name, index) => {
      const listed = [...place, field, index];
      return { name, path: document.has(listed) ? listed : [...place, field] };
    }),
  );
}
