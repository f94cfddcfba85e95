import { useEffect, useRef } from "react";
import { words } from "../../words/words.js";
import { createValueStore, useValue } from "../inbox/value-store.js";

const subject = createValueStore("");

/** Shows a subject in the page's title while the component is mounted. `undefined`: another component has the title. */
export function useTitle(text: string | undefined): void {
  useEffect(() => {
    if (text === undefined) return undefined;
    subject.set(text);
    return () => subject.set("");
  }, [text]);
}

/** Takes the title of what is shown, and the number of calls that wait for the reader. */
export type OnTitle = (title: string, waiting: number) => void;

/**
 * Sets the page's title: the number of calls for the reader, and the open approval. An installed page has a badge, too. A host
 * that takes the title has its own.
 */
export function usePageTitle(pending: number, onTitle: OnTitle | undefined): void {
  const text = useValue(subject);
  const latest = useRef(onTitle);
  const isOwn = !onTitle;
  useEffect(() => {
    latest.current = onTitle;
  });
  useEffect(() => {
    const title = `${text ? `${text} · ` : ""}${words.page.title}`;
    const badge = pending > 0 ? `(${pending > 99 ? "99+" : pending}) ` : "";
    if (isOwn) document.title = badge + title;
    else latest.current?.(title, pending);
  }, [pending, text, isOwn]);
  useEffect(() => {
    if (!isOwn || !("setAppBadge" in navigator)) return undefined;
    const set = (count: number) => void navigator.setAppBadge(count).catch(() => undefined);
    set(pending);
    // Who has signed out must not be told how many calls wait.
    return () => set(0);
  }, [pending, isOwn]);
}
