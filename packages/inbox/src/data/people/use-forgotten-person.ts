import { useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useState } from "react";
import { useInbox } from "../inbox/inbox-context.js";

/**
 * Drops what the page knows for a person once another one has signed in. Returns the key of the person for whom the page may be
 * rendered now: nothing of the page before may stay.
 */
export function useForgottenPerson(person: { tenantId: string; id: string } | undefined): string | undefined {
  const { reviewed, selected, ownDecisions, notices } = useInbox();
  const client = useQueryClient();
  const key = person && JSON.stringify([person.tenantId, person.id]);
  const [shownFor, setShownFor] = useState(key);
  useLayoutEffect(() => {
    if (key === undefined || key === shownFor) return;
    if (shownFor !== undefined) {
      reviewed.set(new Map());
      selected.set(new Set());
      ownDecisions.set([]);
      notices.set([]);
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
    }
    setShownFor(key);
  }, [key, shownFor, reviewed, selected, ownDecisions, notices, client]);
  return key === shownFor ? key : undefined;
}
