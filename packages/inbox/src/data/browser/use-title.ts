import { useEffect } from "react";
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

/** Sets the page's title: the number of calls for the reader, and the open approval. An installed page has a badge, too. */
export function usePageTitle(pending: number): void {
  const text = useValue(subject);
  useEffect(() => {
    const badge = pending > 0 ? `(${pending > 99 ? "99+" : pending}) ` : "";
    document.title = `${badge}${text ? `${text} · ` : ""}${words.page.title}`;
  }, [pending, text]);
  useEffect(() => {
    if (!("setAppBadge" in navigator)) return undefined;
    const set = (count: number) => void navigator.setAppBadge(count).catch(() => undefined);
    set(pending);
    // Who has signed out must not be told how many calls wait.
    return () => set(0);
  }, [pending]);
}
