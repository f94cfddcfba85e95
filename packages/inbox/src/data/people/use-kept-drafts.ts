import { useEffect } from "react";
import { type Draft, emptyDraft, useInbox } from "../inbox/inbox-context.js";

/** For whom the drafts of an inbox were read. Several parts of a page share them. */
const readFor = new WeakMap<object, string>();

/**
 * Keeps what a person has typed and not sent in the tab's storage, so that a reload or a new session loses nothing. Each person
 * has their own: another one who signs in does not see it.
 */
export function useKeptDrafts(person: { tenantId: string; id: string } | undefined): void {
  const { drafts, config } = useInbox();
  const key = person && `countersign-drafts ${JSON.stringify([config.basePath, person.tenantId, person.id])}`;
  useEffect(() => {
    if (key === undefined) return undefined;
    if (readFor.get(drafts) !== key) drafts.set(readDrafts(key));
    readFor.set(drafts, key);
    return drafts.subscribe(() => writeDrafts(key, drafts.get()));
  }, [drafts, key]);
}

function readDrafts(key: string): ReadonlyMap<string, Draft> {
  try {
    const stored: [string, Partial<Draft>][] = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return new Map(stored.map(([id, draft]) => [id, { ...emptyDraft, ...draft }]));
  } catch {
    return new Map();
  }
}

function writeDrafts(key: string, drafts: ReadonlyMap<string, Draft>): void {
  try {
    if (drafts.size === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify([...drafts]));
  } catch {
    // The storage is full or switched off. The drafts are kept while the page is open.
  }
}
