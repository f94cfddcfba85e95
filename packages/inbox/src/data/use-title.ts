import { useEffect } from "react";
import { createValueStore, useValue } from "./value-store.js";

const subject = createValueStore("");

/** Puts what is open into the page's title while the component is there. */
export function useTitle(words: string): void {
  useEffect(() => {
    subject.set(words);
    return () => subject.set("");
  }, [words]);
}

/** The page's title: how much waits, what is open, and where one is. */
export function usePageTitle(waiting: number): void {
  const words = useValue(subject);
  useEffect(() => {
    const badge = waiting > 0 ? `(${waiting}) ` : "";
    document.title = `${badge}${words ? `${words} · ` : ""}Approvals`;
  }, [waiting, words]);
}
