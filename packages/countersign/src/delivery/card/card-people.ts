import { inQuotes } from "@countersign/policy/internal/display/summary-part";
import { isMarkedInPart, textMarks } from "@countersign/policy/internal/display/text-marks";
import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { Approval } from "../../approval/approval.js";

const maxName = 120;
const maxListed = 10;

/** What a card calls a person: their name, or their id if their name is unknown or could mislead. */
export type NameOf = (id: string) => string;

/** A few words such as "Ada Lovelace" or "María-José O’Brien". Anything else is quoted, such as "Ada and Bob". */
const plainName =
  /^\p{L}[\p{L}\p{M}'’-]*(?: (?!(?:and|or|by|for)\b)(?:\p{L}{1,2}\.|\p{L}[\p{L}\p{M}'’-]*)){0,4}$/iu;
/** Ids usually begin with a small letter or a digit. */
const capital = /^[\p{Lu}\p{Lt}\p{Lo}]/u;

/**
 * Names the people of a call. People can choose their names, so a name never looks like another person's id, like two
 * people or like words of the card, and people with the same name appear with their ids.
 */
export function namesOn(
  approval: Approval,
  names: ReadonlyMap<string, string>,
  undo: Approval | null = null,
): NameOf {
  const { requesterId, assigneeId, decision, votes, approvers, terms } = approval;
  const undoing = [terms.undoes?.askedBy, undo?.terms.undoes?.askedBy, undo?.resolution?.resolvedBy];
  const ids = [requesterId, assigneeId, decision?.decidedBy, ...approvers.ids, ...undoing].flatMap(
    (id) => id ?? [],
  );
  const all = new Set([...ids, ...votes.map(({ principalId }) => principalId), ...names.keys()]);
  const bearers = new Map<string, number>();
  for (const id of all) {
    for (const called of new Set([folded(shownName(names.get(id)) ?? id), folded(id)])) {
      bearers.set(called, (bearers.get(called) ?? 0) + 1);
    }
  }
  return (id) => {
    const shownId = visibleText(id, maxName);
    const name = shownName(names.get(id));
    if (name === undefined) return shownId;
    return bearers.get(folded(name)) === 1 ? name : `${name} (${shownId})`;
  };
}

function shownName(name: string | undefined): string | undefined {
  const text = name?.trim().replace(/ {2,}/g, " ");
  if (!text || textMarks(text).length > 0 || isMarkedInPart(text)) return undefined;
  const shown = visibleText(text, maxName);
  return capital.test(shown) && plainName.test(shown) ? shown : inQuotes(shown);
}

const folded = (name: string): string => name.normalize("NFKC").toLowerCase();

/** "finance, lead or Ada": who may decide a call. */
export function whoDecides({ approvers: { roles, ids } }: Approval, nameOf: NameOf): string {
  if (roles.length === 0 && ids.length === 0) return "anyone signed in";
  return listed([...roles.map(roleName), ...ids.map(nameOf)], "or");
}

/** "lead": whom the latest escalation added. */
export function escalatedTo({ terms, escalationSteps }: Approval): string | null {
  const [latest] = terms.escalation
    .slice(0, escalationSteps)
    .flatMap(({ escalateTo }) => (escalateTo.length > 0 ? [escalateTo] : []))
    .slice(-1);
  return latest ? listed(latest.map(roleName), "or") : null;
}

const roleName = (role: string): string => visibleText(role, maxName);

/** "Ada, Bob and Cleo". */
export function listed(names: readonly string[], word: "and" | "or"): string {
  const more = names.length - maxListed;
  const shown = more > 1 ? [...names.slice(0, maxListed), `${more} others`] : names;
  const last = shown.at(-1) ?? "";
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(", ")} ${word} ${last}`;
}
