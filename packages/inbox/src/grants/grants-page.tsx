import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Grant } from "../api/records.js";
import { Button } from "../components/button.js";
import { Chips } from "../components/chips.js";
import { EmptyState } from "../components/empty-state.js";
import { ErrorNotice } from "../components/error-notice.js";
import { ModalPopup } from "../components/modal-popup.js";
import { RowSkeletons } from "../components/skeletons.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { keys } from "../data/inbox/query-keys.js";
import { words } from "../words/words.js";
import { GrantCard } from "./grant-card.js";

/** The grants: calls that run without a new approval. */
export default function GrantsPage() {
  const { api } = useInbox();
  const client = useQueryClient();
  const [live, setLive] = useState(true);
  const [revoking, setRevoking] = useState<Grant>();
  const grants = useQuery({
    queryKey: keys.grants(live),
    queryFn: ({ signal }) =>
      api.listGrants({ query: { live: live ? "true" : undefined, limit: 200 }, signal }),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => api.revokeGrant({ id }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.allGrants }),
  });
  const { active, all } = words.grants;
  return (
    <section className="cs-page" aria-labelledby="grants">
      <header className="cs-page-head">
        <h1 id="grants">{words.grants.title}</h1>
        <Chips
          label={words.grants.show}
          options={[active, all]}
          pressed={live ? active : all}
          onPress={(shown) => setLive(shown === active)}
        />
      </header>
      {revoke.isError && <ErrorNotice error={revoke.error} />}
      {grants.isPending && <RowSkeletons count={3} />}
      {grants.isError && <ErrorNotice error={grants.error} onRetry={() => void grants.refetch()} />}
      {grants.data?.items.length === 0 && (
        <EmptyState title={live ? words.grants.noneActive : words.grants.none}>
          <p>{words.grants.advice}</p>
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
        <ModalPopup className="cs-dialog-small">
          <AlertDialog.Title className="cs-dialog-title">{words.grants.revokeTitle}</AlertDialog.Title>
          <AlertDialog.Description className="cs-dialog-words">
            {words.grants.revokeEffect}
          </AlertDialog.Description>
          <div className="cs-decision-buttons">
            <AlertDialog.Close className="cs-button" data-tone="quiet">
              {words.common.cancel}
            </AlertDialog.Close>
            <span className="cs-spacer" />
            <Button
              tone="danger"
              onClick={() => {
                if (revoking) revoke.mutate(revoking.id);
                setRevoking(undefined);
              }}
            >
              {words.grants.revoke}
            </Button>
          </div>
        </ModalPopup>
      </AlertDialog.Root>
    </section>
  );
}
