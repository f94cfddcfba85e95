import { z } from "zod";
import type { CompiledRule } from "../compiled-rule.js";
import { type FileFormat, type FormatInput, sourceOf, unknownTools } from "../file-format.js";
import { profileName, type VerdictKind } from "../rule.js";
import { schemaProblems } from "../schema-problems.js";

const everyTool = ["*"];
const globs = z.array(z.string().min(1));
const profileSchema = z.strictObject({
  allowlist: globs.optional(),
  denylist: globs.optional(),
  asklist: globs.optional(),
  elicitationFallback: z.enum(["deny", "allow"]).optional(),
});
type Profile = z.infer<typeof profileSchema>;

/** Other fields belong to the program whose configuration this is. */
const evaluationFileSchema = z.object({
  evaluation: z.strictObject({
    defaultProfile: profileName.optional(),
    profiles: z.record(profileName, profileSchema).optional(),
  }),
});

/**
 * The `evaluation.profiles` of an MCP bridge's configuration, lists of globs by profile. In each profile deny goes
 * before ask, ask before allow; a tool on no list is denied where there is an allowlist, else allowed. Rules of other
 * layers still tighten. Outside of any profile the file says nothing: name an `evaluation.defaultProfile`.
 */
export const evaluationProfilesFormat: FileFormat = {
  recognises: (value) => "evaluation" in value && !("rules" in value || "version" in value),
  read(input) {
    const { document, layer } = input;
    const parsed = evaluationFileSchema.safeParse(document.value);
    if (!parsed.success) {
      return { ok: false, problems: schemaProblems(document, evaluationFileSchema, parsed.error) };
    }
    const { defaultProfile, profiles = {} } = parsed.data.evaluation;
    const entries = Object.entries(profiles);
    const problems = entries.flatMap(([name, profile]) => unknownTools(input, namesOf(name, profile)));
    if (problems.length > 0) return { ok: false, problems };
    const source = sourceOf(layer, parsed.data, {
      rules: entries.flatMap(([name, profile]) => rulesOf(name, profile)),
      profiles: Object.fromEntries(entries.map(([name]) => [name, []])),
      defaultProfile,
    });
    return { ok: true, source, notes: notesOn(input, profiles, defaultProfile) };
  },
};

function rulesOf(profile: string, { allowlist, asklist = [], denylist = [] }: Profile): CompiledRule[] {
  const rule = (list: string, tools: readonly string[], verdict: VerdictKind, more: object = {}) => ({
    id: `evaluation.profiles.${profile}.${list}`,
    layer: "profile" as const,
    profile,
    tools,
    except: [],
    says: { how: "fixed" as const, verdict, terms: {} },
    ...more,
  });
  const unlisted = `The profile "${profile}" does not list this tool`;
  return [
    rule("denylist", denylist, "deny"),
    rule("asklist", asklist, "ask"),
    rule("allowlist", allowlist ?? everyTool, "allow"),
    ...(allowlist
      ? [
          rule("unlisted", everyTool, "deny", {
            except: [...allowlist, ...asklist],
            says: { how: "fixed", verdict: "deny", terms: { reason: unlisted } },
          }),
        ]
      : []),
  ];
}

function namesOf(profile: string, lists: Profile) {
  return (["allowlist", "denylist", "asklist"] as const).flatMap((list) =>
    (lists[list] ?? []).map((name, index) => ({
      name,
      path: ["evaluation", "profiles", profile, list, index],
    })),
  );
}

function notesOn(
  { document }: FormatInput,
  profiles: Readonly<Record<string, Profile>>,
  defaultProfile: string | undefined,
) {
  const notes = Object.entries(profiles)
    .filter(([, profile]) => profile.elicitationFallback === "allow")
    .map(([name]) =>
      document.problem(
        ["evaluation", "profiles", name, "elicitationFallback"],
        "never applies: there is always an inbox to ask in",
      ),
    );
  if (defaultProfile === undefined) {
    const message = "names no defaultProfile, so this file says nothing about agents without a profile";
    notes.push(document.problem(["evaluation"], message, null, "key"));
  }
  return notes;
}
