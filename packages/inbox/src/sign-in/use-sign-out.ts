import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { unsubscribeFromPush } from "../data/browser/subscribe-to-push.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { keys } from "../data/inbox/query-keys.js";

/** Ends the session and clears its data. */
export function useSignOut(): () => Promise<void> {
  const { api, config, drafts, reviewed, selected } = useInbox();
  const client = useQueryClient();
  return useCallback(async () => {
    const { signIn } = config;
    if (!signIn || !("session" in signIn)) return;
    // Others who use this browser must not read this person's notifications.
    await unsubscribeFromPush({ api, basePath: config.basePath }).catch(() => undefined);
    await fetch(signIn.session, { method: "DELETE" }).catch(() => undefined);
    drafts.set(new Map());
    reviewed.set(new Map());
    selected.set(new Set());
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
    await client.resetQueries({ queryKey: keys.me });
  }, [api, config, client, drafts, reviewed, selected]);
}
