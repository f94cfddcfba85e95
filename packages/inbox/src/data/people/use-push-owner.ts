import { useMemo } from "react";
import type { PushOwner } from "../browser/subscribe-to-push.js";
import { useInbox } from "../inbox/inbox-context.js";
import { useMe } from "./use-me.js";

/** The signed-in person as the owner of this browser's subscription to push messages. */
export function usePushOwner(): PushOwner | undefined {
  const {
    api,
    config: { basePath },
  } = useInbox();
  const me = useMe().data?.principal;
  const person = me && JSON.stringify([me.tenantId, me.id]);
  return useMemo(
    () => (person === undefined ? undefined : { api, basePath, person }),
    [api, basePath, person],
  );
}
