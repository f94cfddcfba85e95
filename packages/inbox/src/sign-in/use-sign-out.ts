import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useInbox } from "../data/inbox/inbox-context.js";
import { keys } from "../data/inbox/query-keys.js";

/** Ends the session and clears its data. */
export function useSignOut(): () => Promise<void> {
  const { config, drafts, reviewed, selected } = useInbox();
  const client = useQueryClient();
  return useCallback(async () => {
    const { signIn } = config;
    if (!signIn || !("session" in signIn)) return;
    await fetch(signIn.session, { method: "DELETE" }).catch(() => undefined);
    drafts.set(new Map());
    reviewed.set(new Map());
    selected.set(new Set());
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
    await client.resetQueries({ queryKey: keys.me });
  }, [config, client, drafts, reviewed, selected]);
}
