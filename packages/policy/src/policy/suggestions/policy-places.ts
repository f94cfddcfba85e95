import { isPlainObject } from "../../shared/plain-object.js";
import { compilePolicy, type PolicySource } from "../compile-policy.js";
import { parsePolicyFile } from "../files/policy-file.js";
import type { PolicyText } from "../files/policy-text.js";
import { readDocument } from "../files/source-document.js";
import type { Policy } from "../policy.js";
import type { PolicyCall } from "../policy-call.js";
import { type CompiledRule, ruleCovers } from "../rules/compiled-rule.js";
import type { VerdictKind } from "../rules/rule.js";

/** A rule or a default of a policy file, with its place there. */
export interface PolicyPlace {
  file: string;
  /**
   * The list of rules that it is in. Of a default: the list that a rule instead of it belongs into. Empty in a file of
   * another format, which cannot be edited.
   */
  list: readonly string[];
  /** Its position in the list, if it has one. */
  index: number | undefined;
  verdict: VerdictKind;
  /** As written in the file. */
  written: Readonly<Record<string, unknown>>;
  /** `undefined` for a default. */
  rule: PlacedRule | undefined;
}

export interface PlacedRule {
  compiled: CompiledRule;
  when: string | undefined;
  /** Whether it applies to the call: by its tools, its profile and its condition. */
  appliesTo(call: PolicyCall): boolean;
}

/** The rules and defaults of valid files, in order. A file in another format than Countersign's own has no lists of rules. */
export function placesOf(texts: readonly PolicyText[]): PolicyPlace[] {
  return texts.flatMap(({ file, layer, text }) => {
    const parsed = parsePolicyFile(text, { file, layer });
    const read = readDocument(text, file);
    if (!parsed.ok || !read.ok || !isPlainObject(read.document.value)) return [];
    const { value } = read.document;
    const { rules, defaults } = parsed.source;
    const places = listsOf(value).flatMap(({ list, written }) =>
      written.map((rule, index) => ({ list, index, written: rule })),
    );
    const nowhere = { list: [], index: undefined, written: {} };
    return [
      ...rules.flatMap((compiled, index): PolicyPlace | [] => {
        if (compiled.effect.kind !== "static") return [];
        const { verdict, when } = compiled.effect;
        const rule = { compiled, when: when?.text, appliesTo: appliesAlone(parsed.source, compiled) };
        return { file, verdict, rule, ...(places[index] ?? nowhere) };
      }),
      ...defaults.map(
        ({ verdict: { kind: verdict, ...written } }): PolicyPlace => ({
          file,
          list: ["rules"],
          index: undefined,
          rule: undefined,
          verdict,
          written: { ...written },
        }),
      ),
    ];
  });
}

/** The lists of rules, in the order in which the format compiles them. */
function listsOf(file: Record<string, unknown>): { list: string[]; written: Record<string, unknown>[] }[] {
  const profiles = Object.entries(isPlainObject(file.profiles) ? file.profiles : {});
  const all: [string[], unknown][] = [
    [["rules"], file.rules],
    ...profiles.map(([name, profile]): [string[], unknown] => [
      ["profiles", name, "rules"],
      isPlainObject(profile) ? profile.rules : [],
    ]),
  ];
  return all.map(([list, written]) => ({
    list,
    written: Array.isArray(written) ? written.filter(isPlainObject) : [],
  }));
}

/** Whether a rule applies to calls, as if it were the only one: by its tools, its profile and its condition. */
function appliesAlone(source: PolicySource, rule: CompiledRule): (call: PolicyCall) => boolean {
  let alone: Policy | undefined;
  return (call) => {
    if (!ruleCovers(rule, call)) return false;
    alone ??= compilePolicy([{ ...source, rules: [rule], defaults: [] }]);
    return alone.explain(call).matched.some(({ id, layer }) => id === rule.id && layer === rule.layer);
  };
}
