import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useInbox } from "../data/inbox-context.js";
import { keys } from "../data/query-keys.js";

/** Ends the session and forgets everything that was shown in it. */
export function useSignOut(): () => Promise<void> {
  const { config, drafts, opened, selected } = useInbox();
  const client = useQueryClient();
  return useCallback(async () => {
    const { signIn } = config;
    if (!signIn || !("session" in signIn)) return;
    await fetch(signIn.session, { method: "DELETE" }).catch(() => undefined);
    drafts.set(new Map());
    opened.set(new Map());
    selected.set(new Set());
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
    await client.resetQueries({ queryKey: keys.me });
  }, [config, client, drafts, opened, selected]);
}
