import { useContext, useEffect, useRef } from "react";
import { CardScope } from "./card-scope.js";
import { useInbox } from "./inbox-context.js";

/** Lists a command for the open call in the command palette while there is one. Cards have no palette. */
export function useCallCommand(label: string | undefined, run: (() => void) | undefined): void {
  const { callCommands } = useInbox();
  const inCard = useContext(CardScope) !== null;
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (label === undefined || inCard) return;
    const command = { label, run: () => latest.current?.() };
    callCommands.set((all) => [...all, command]);
    return () => callCommands.set((all) => all.filter((other) => other !== command));
  }, [callCommands, label, inCard]);
}
