import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Grant } from "../api/approval.js";
import { Button } from "../components/button.js";
import { Chips } from "../components/chips.js";
import { EmptyState } from "../components/empty-state.js";
import { ErrorNotice } from "../components/error-notice.js";
import { RowSkeletons } from "../components/skeletons.js";
import { useInbox } from "../data/inbox-context.js";
import { keys } from "../data/query-keys.js";
import { GrantCard } from "./grant-card.js";

/** Standing approvals: what runs without being asked about, and the way to take that back. */
export default function GrantsPage() {
  const { api } = useInbox();
  const client = useQueryClient();
  const [live, setLive] = useState(true);
  const [revoking, setRevoking] = useState<Grant>();
  const grants = useQuery({
    queryKey: keys.grants(live),
    queryFn: ({ signal }) =>
      api.get<{ items: Grant[] }>("/grants", { live: live || undefined, limit: 200 }, signal),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => api.send<Grant>("POST", `/grants/${encodeURIComponent(id)}/revoke`),
    onSettled: () => client.invalidateQueries({ queryKey: keys.allGrants }),
  });
  return (
    <section className="cs-page" aria-labelledby="standing">
      <header className="cs-page-head">
        <h1 id="standing">Standing approvals</h1>
        <Chips
          label="Show"
          options={["In force", "All"]}
          pressed={live ? "In force" : "All"}
          onPress={(shown) => setLive(shown === "In force")}
        />
      </header>
      {revoke.isError && <ErrorNotice error={revoke.error} />}
      {grants.isPending && <RowSkeletons count={3} />}
      {grants.isError && <ErrorNotice error={grants.error} onRetry={() => void grants.refetch()} />}
      {grants.data?.items.length === 0 && (
        <EmptyState title={live ? "Nothing runs without being asked about" : "There have been none"}>
          <p>
            Where a rule allows it, an approval offers “Always”: such calls then run until the time is over.
          </p>
        </EmptyState>
      )}
      {grants.data && grants.data.items.length > 0 && (
        <ul className="cs-grants">
          {grants.data.items.map((grant) => (
            <li key={grant.id}>
              <GrantCard grant={grant} onRevoke={() => setRevoking(grant)} />
            </li>
          ))}
        </ul>
      )}
      <AlertDialog.Root
        open={revoking !== undefined}
        onOpenChange={(open) => !open && setRevoking(undefined)}
      >
        <AlertDialog.Portal>
          <AlertDialog.Backdrop className="cs-backdrop" />
          <AlertDialog.Popup className="cs-dialog cs-dialog-small">
            <AlertDialog.Title className="cs-dialog-title">Take this back?</AlertDialog.Title>
            <AlertDialog.Description className="cs-dialog-words">
              From now on such calls are asked about again. What has started already is not stopped.
            </AlertDialog.Description>
            <div className="cs-decision-buttons">
              <AlertDialog.Close className="cs-button" data-tone="quiet">
                Keep it
              </AlertDialog.Close>
              <span className="cs-spacer" />
              <Button
                tone="danger"
                onClick={() => {
                  if (revoking) revoke.mutate(revoking.id);
                  setRevoking(undefined);
                }}
              >
                Take it back
              </Button>
            </div>
          </AlertDialog.Popup>
        </AlertDialog.Portal>
      </AlertDialog.Root>
    </section>
  );
}
