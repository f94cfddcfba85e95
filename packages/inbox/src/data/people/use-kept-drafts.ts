import { useEffect } from "react";
import { hasNumberSigns } from "../../logic/arguments/parse-number.js";
import { numbers } from "../../words/locale.js";
import { type Draft, emptyDraft, useInbox } from "../inbox/inbox-context.js";

/** For whom the drafts of an inbox were read, and how numbers were written then. Several parts of a page share them. */
const readFor = new WeakMap<object, { key: string; format: string }>();

/** What is kept in the tab's storage. */
interface Kept {
  /** How numbers were written. */
  format: string;
  drafts: [string, Partial<Draft>][];
}

/**
 * Keeps what a person has typed and not sent in the tab's storage, so that a reload or a new session loses nothing. Each person
 * has their own: another one who signs in does not see it.
 */
export function useKeptDrafts(person: { tenantId: string; id: string } | undefined): void {
  const { drafts, config } = useInbox();
  const key = person && `countersign-drafts ${JSON.stringify([config.basePath, person.tenantId, person.id])}`;
  useEffect(() => {
    if (key === undefined) return undefined;
    const format = numbers.group + numbers.decimal;
    const before = readFor.get(drafts);
    if (before?.key !== key) drafts.set(readDrafts(key, format));
    else if (before.format !== format) drafts.set(withoutNumbers);
    readFor.set(drafts, { key, format });
    return drafts.subscribe(() => writeDrafts(key, { format, drafts: [...drafts.get()] }));
  }, [drafts, key]);
}

function readDrafts(key: string, format: string): ReadonlyMap<string, Draft> {
  try {
    const kept: Kept = JSON.parse(sessionStorage.getItem(key) ?? "null") ?? { format, drafts: [] };
    const drafts = new Map(kept.drafts.map(([id, draft]) => [id, { ...emptyDraft, ...draft }]));
    return kept.format === format ? drafts : withoutNumbers(drafts);
  } catch {
    return new Map();
  }
}

function writeDrafts(key: string, kept: Kept): void {
  try {
    if (kept.drafts.length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // The storage is full or switched off. The drafts are kept while the page is open.
  }
}

/** Drafts for a page that writes numbers in another way: what would now be read as another number must be typed again. */
function withoutNumbers(drafts: ReadonlyMap<string, Draft>): ReadonlyMap<string, Draft> {
  const without = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).filter(([, text]) => !hasNumberSigns(text)));
  return new Map(
    [...drafts].map(([id, draft]) => [
      id,
      { ...draft, fields: without(draft.fields), answer: without(draft.answer) },
    ]),
  );
}
