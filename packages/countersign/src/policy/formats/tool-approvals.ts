import { z } from "zod";
import type { CompiledRule } from "../compiled-rule.js";
import { type FileFormat, type FileLayer, isGlob, sourceOf, unknownTools } from "../file-format.js";
import type { PolicyCall } from "../policy.js";
import type { Terms, VerdictKind } from "../rule.js";
import { schemaProblems } from "../schema-problems.js";
import type { Verdict } from "../verdict.js";

const toolApprovalsSchema = z.strictObject({
  $schema: z.string().optional(),
  require_approval_by_default: z.boolean().optional(),
  tools: z
    .record(
      z.string().min(1),
      z.strictObject({ require_approval: z.boolean(), allow_edit: z.boolean().optional() }),
    )
    .optional(),
});

/** This format's own: a call that nobody answers is refused after five minutes. */
const timeout = "5m";

/**
 * `tool-approvals.json`: for each tool whether a person must approve, and whether that person may edit.
 *
 * - `require_approval: true` asks; with `allow_edit` the arguments may be edited, every one (`editable: ["*"]`).
 * - `require_approval: false` allows. Across files the strictest holds, so an override cannot take back an ask.
 * - `require_approval_by_default` is for tools that no rule covers; left out, this file says nothing about them.
 * - Names are exact: a `*` in one stands for itself.
 */
export const toolApprovalsFormat: FileFormat = {
  recognises: (value) =>
    !("rules" in value || "version" in value) &&
    ("require_approval_by_default" in value || ("tools" in value && !Array.isArray(value.tools))),
  read(input) {
    const { document, layer } = input;
    const parsed = toolApprovalsSchema.safeParse(document.value);
    if (!parsed.success) {
      return { ok: false, problems: schemaProblems(document, toolApprovalsSchema, parsed.error) };
    }
    const { $schema: _, ...file } = parsed.data;
    const entries = Object.entries(file.tools ?? {});
    const names = entries.map(([name]) => ({ name, path: ["tools", name], where: "key" as const }));
    const problems = unknownTools(input, names);
    if (problems.length > 0) return { ok: false, problems };
    const rules = entries.map(([name, entry]) =>
      entry.require_approval
        ? ruleFor(name, layer, "ask", askTerms(entry.allow_edit ?? false))
        : ruleFor(name, layer, "allow", {}),
    );
    const byDefault = file.require_approval_by_default;
    const verdict: Verdict = byDefault ? { ...askTerms(false), kind: "ask" } : { kind: "allow" };
    const notes = names
      .filter(({ name }) => isGlob(name))
      .map(({ path }) => document.problem(path, "names are exact in this format, not globs", null, "key"));
    if (byDefault === undefined) {
      const message =
        "says nothing about other tools, which are denied unless another layer has a word on them";
      notes.push(document.problem([], message, "add require_approval_by_default"));
    }
    return {
      ok: true,
      source: sourceOf(layer, file, { rules, defaults: byDefault === undefined ? [] : [{ layer, verdict }] }),
      notes,
    };
  },
};

function askTerms(allowEdit: boolean): Terms {
  return allowEdit
    ? { decisions: ["approve", "edit", "deny"], editable: ["*"], timeout }
    : { decisions: ["approve", "deny"], timeout };
}

/** A rule for the tool of exactly this name, also where the name would be read as a glob. */
function ruleFor(name: string, layer: FileLayer, verdict: VerdictKind, terms: Terms): CompiledRule {
  const rule = { id: `tools.${name}`, layer, except: [] };
  if (!isGlob(name)) return { ...rule, tools: [name], says: { how: "fixed", verdict, terms } };
  const when = {
    text: `tool.name == ${JSON.stringify(name)}`,
    holds: (call: PolicyCall) => call.toolName === name,
  };
  return { ...rule, tools: ["*"], says: { how: "fixed", verdict, terms, when } };
}
