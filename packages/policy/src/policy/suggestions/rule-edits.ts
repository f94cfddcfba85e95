import type { PolicyText } from "../files/policy-text.js";
import { unaskedTerms } from "../rules/terms.js";
import { inParentheses } from "./asking-places.js";
import { editPolicyText, type PolicyEdit } from "./edit-policy-text.js";
import type { PolicyPlace } from "./policy-places.js";

/** A change of one of the policy's files. */
export interface FileEdit {
  file: string;
  edit: PolicyEdit;
}

/**
 * Makes the rules that ask about calls of the tool ask no more if a condition holds, and adds a rule that notifies people
 * of these calls. The strictest verdict wins, so a looser rule alone would change nothing.
 */
export function looserEdits(
  asking: readonly PolicyPlace[],
  { toolName, when, comment, id }: { toolName: string; when: string; comment: string; id: string },
): FileEdit[] {
  return asking.flatMap(({ file, list, index, written, rule }) => {
    const own = rule?.when;
    const terms = Object.fromEntries(
      unaskedTerms.flatMap((name) => (written[name] === undefined ? [] : [[name, written[name]]])),
    );
    const added: PolicyEdit = {
      kind: "rule",
      list,
      after: index,
      comment,
      rule: {
        id,
        tools: toolName,
        verdict: "notify",
        when: own === undefined ? when : `${inParentheses(own)} && ${when}`,
        ...terms,
      },
    };
    if (!rule || index === undefined) return [{ file, edit: added }];
    const { tools } = rule.compiled;
    const ofTool = tools.length === 1 && tools[0] === toolName;
    const covered = `!(${ofTool ? when : `tool.name == ${JSON.stringify(toolName)} && ${when}`})`;
    // With `&&`, a false right side would hide that the left one cannot be evaluated, in which case the rule must apply.
    const narrowed = own === undefined ? covered : `${inParentheses(own)} ? ${covered} : false`;
    return [
      { file, edit: added },
      { file, edit: { kind: "condition", list, index, when: narrowed } },
    ];
  });
}

/** The files after the edits, or the name of a file in which one cannot be made. Edits of one list: the last rule first. */
export function editFiles(
  files: readonly PolicyText[],
  edits: readonly FileEdit[],
): PolicyText[] | { impossible: string } {
  const edited = new Map(files.map((text) => [text.file, text]));
  for (const { file, edit } of edits) {
    const before = edited.get(file);
    const text = before && editPolicyText(before.text, edit);
    if (!before || text === undefined) return { impossible: file };
    edited.set(file, { ...before, text });
  }
  return [...edited.values()];
}

/** An id that no rule has. */
export function freeId(places: readonly PolicyPlace[], wanted: string): string {
  const taken = new Set(places.map(({ written }) => written.id));
  let id = wanted;
  for (let number = 2; taken.has(id); number += 1) id = `${wanted}-${number}`;
  return id;
}
