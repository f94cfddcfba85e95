import { quoted } from "./edit-policy-text.js";
import { newRuleLines } from "./new-rule-lines.js";
import type { PolicyPlace } from "./policy-places.js";
import type { FileEdit } from "./rule-edits.js";
import type { RuleChange } from "./suggestion.js";

/** What edits write into the policy's files: new rules, and new conditions of rules. */
export function changesOf(edits: readonly FileEdit[], places: readonly PolicyPlace[]): RuleChange[] {
  return edits.map(({ file, edit }) => {
    const isJson = file.endsWith(".json");
    if (edit.kind === "rule") {
      const text = isJson ? JSON.stringify(edit.rule) : newRuleLines(edit.rule, edit.comment).join("\n");
      return { file, rule: null, text };
    }
    const changed = places.find(
      (place) =>
        place.file === file && place.index === edit.index && place.list.join("\0") === edit.list.join("\0"),
    );
    const name = isJson ? '"when"' : "when";
    return { file, rule: changed?.rule?.compiled.id ?? null, text: `${name}: ${quoted(edit.when, isJson)}` };
  });
}
