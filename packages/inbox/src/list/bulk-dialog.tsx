import { useEffect, useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { useInbox } from "../data/inbox-context.js";
import { useBulkDecide } from "../data/use-bulk-decide.js";
import { useOnline } from "../data/use-online.js";
import { useValue } from "../data/value-store.js";
import { bulkPlan, obstacleWords } from "../logic/bulk-rules.js";
import { sentenceOf } from "../logic/sentence.js";
import { DialogFrame } from "../shell/dialog-frame.js";

/** How long approving several waits before it can be pressed, in milliseconds: as for what is weighty. */
const armMs = 1000;

interface BulkDialogProps {
  selected: readonly Approval[];
  onClose: () => void;
}

/** Several decided together: every sentence, what stands in the way of which, and what became of each. */
export default function BulkDialog({ selected: given, onClose }: BulkDialogProps) {
  // Those that were selected when it opened, as they are now: somebody else may decide one meanwhile.
  const [atFirst] = useState(given);
  const now = new Map(given.map((approval) => [approval.id, approval]));
  const selected = atFirst.map((approval) => now.get(approval.id) ?? approval);
  const inbox = useInbox();
  const opened = useValue(inbox.opened);
  const online = useOnline();
  const bulk = useBulkDecide();
  const [reason, setReason] = useState("");
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), armMs);
    return () => clearTimeout(timer);
  }, []);
  const plan = bulkPlan(selected, opened);
  const blocked = !online
    ? "The server cannot be reached"
    : bulk.isPending
      ? "Your decisions are on their way"
      : armed
        ? undefined
        : "Ready in a moment";
  const decide = (type: "approve" | "deny", items: readonly Approval[]) =>
    bulk.mutate({ type, items, reason: reason.trim() }, { onSuccess: () => inbox.selected.set(new Set()) });
  return (
    <DialogFrame title={`Decide ${selected.length} together`} onClose={onClose}>
      <p className="cs-dialog-words">
        {plan.opened} of {selected.length} opened by you. Only what you have opened can be approved together.
      </p>
      <ul className="cs-bulk">
        {selected.map((approval) => {
          const outcome = bulk.data?.get(approval.id);
          const obstacle = plan.obstacles.get(approval.id);
          return (
            <li key={approval.id}>
              <span className="cs-risk" data-risk={approval.risk}>
                <Icon name={approval.risk} />
                {approval.risk}
              </span>
              <span className="cs-bulk-sentence">
                <SafeText text={sentenceOf(approval)} />
              </span>
              <small data-outcome={outcome ? (outcome.ok ? "ok" : "failed") : undefined}>
                {outcome ? outcome.words : obstacle ? obstacleWords(obstacle, approval) : "Opened by you"}
              </small>
            </li>
          );
        })}
      </ul>
      {bulk.isError && <ErrorNotice error={bulk.error} />}
      {bulk.isSuccess ? (
        <div className="cs-decision-buttons">
          <span className="cs-spacer" />
          <Button tone="primary" onClick={onClose}>
            Close
          </Button>
        </div>
      ) : (
        <>
          <label className="cs-panel-word">
            <span>
              Reason for denying <small>· optional, the agent will read it</small>
            </span>
            <input
              className="cs-input"
              autoComplete="off"
              maxLength={2000}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
          <div className="cs-decision-buttons">
            {plan.deniable.length > 0 && (
              <Button tone="danger" blocked={blocked} onClick={() => decide("deny", plan.deniable)}>
                {`Deny ${plan.deniable.length}`}
              </Button>
            )}
            <span className="cs-spacer" />
            <Button
              tone="primary"
              data-arming={!armed || undefined}
              blocked={plan.approvable.length === 0 ? "None of these can be approved together" : blocked}
              onClick={() => decide("approve", plan.approvable)}
            >
              {`Approve ${plan.approvable.length}`}
            </Button>
          </div>
        </>
      )}
    </DialogFrame>
  );
}
