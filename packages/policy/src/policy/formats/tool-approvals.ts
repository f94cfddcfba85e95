import * as z from "zod";
import { type FileFormat, type FileLayer, sourceOf, unknownTools } from "../files/file-format.js";
import { schemaProblems } from "../files/schema-problems.js";
import type { CompiledRule } from "../rules/compiled-rule.js";
import type { VerdictKind } from "../rules/rule.js";
import type { Terms } from "../rules/terms.js";
import { isGlob, isNegated } from "../rules/tool-pattern.js";
import type { Verdict } from "../rules/verdict.js";

/** An exact name. A negated one would match no tool, so that nobody would be asked. */
const toolKey = z
  .string()
  .min(1)
  .refine(
    (name) => !isNegated(name),
    'must be the exact name of a tool, without "!"; name each tool, and set require_approval_by_default for the others',
  );

export const toolApprovalsSchema = z.strictObject({
  $schema: z.string().optional().describe("Location of a schema, for editors"),
  require_approval_by_default: z
    .boolean()
    .optional()
    .describe(
      "Whether tools that are not listed need approval. Without it, they are denied; their own program runs them",
    ),
  tools: z
    .record(
      toolKey,
      z.strictObject({
        require_approval: z.boolean().describe("`true` asks, for five minutes; `false` allows"),
        allow_edit: z.boolean().optional().describe("People may edit all arguments. Default: `false`"),
      }),
    )
    .optional()
    .describe("By exact name, or by `<server>_<tool>` for a tool of an MCP server"),
});

type ToolApprovals = z.infer<typeof toolApprovalsSchema>;

/** Defined by this format: an undecided call expires after five minutes. */
const timeout = "5m";

/**
 * `tool-approvals.json`: whether each tool needs approval, and whether approvers may edit.
 *
 * - `require_approval: true` asks. With `allow_edit`, all arguments may be edited (`editable: ["*"]`).
 * - `require_approval: false` allows. The strictest of all files wins, so an override cannot remove an ask.
 * - `require_approval_by_default` applies to tools that no rule covers. If it is absent, Countersign denies these
 *   tools, although the format's own default is `false`. A note reports this.
 * - A key is the exact name of a tool, or `<server>_<tool>` for a tool of an MCP server, which Countersign and AgentKit
 *   name with another separator. `*` is a literal character.
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
    const problems = unknownTools(input, names, true);
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
    if (byDefault === undefined) notes.push(document.problem([], missingDefault, settingDefault));
    const loosening = layer === "overrides" ? firstLoosening(file) : undefined;
    if (loosening) notes.push(document.problem(loosening, loosensNothing));
    return {
      ok: true,
      source: sourceOf(layer, file, { rules, defaults: byDefault === undefined ? [] : [{ layer, verdict }] }),
      notes,
    };
  },
};

const missingDefault =
  "does not set require_approval_by_default. The format's default is false, which lets unlisted tools run " +
  "without approval; Countersign denies them instead, unless another layer covers them, because a tool runs only if " +
  "a rule allows it";
const settingDefault = "set it to false to let other tools run, or to true to have people approve them";
const loosensNothing =
  "does not remove an approval that the defaults require. In the format, overrides replace defaults; in Countersign they " +
  "only tighten, because the strictest of all files wins";

/** The first field that says that something needs no approval. */
function firstLoosening({ require_approval_by_default: byDefault, tools = {} }: ToolApprovals) {
  if (byDefault === false) return ["require_approval_by_default"];
  const name = Object.keys(tools).find((name) => tools[name]?.require_approval === false);
  return name === undefined ? undefined : ["tools", name, "require_approval"];
}

function askTerms(allowEdit: boolean): Terms {
  return allowEdit
    ? { decisions: ["approve", "edit", "deny"], editable: ["*"], timeout }
    : { decisions: ["approve", "deny"], timeout };
}

function ruleFor(key: string, layer: FileLayer, verdict: VerdictKind, terms: Terms): CompiledRule {
  const effect = { kind: "static" as const, verdict, terms };
  return { id: `tools.${key}`, layer, tools: [key], except: [], keyed: true, effect };
}
