import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { DialogFrame } from "../components/dialog-frame.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { Sentence } from "../components/sentence.js";
import { useBulkDecide } from "../data/approvals/use-bulk-decide.js";
import { useOnline } from "../data/browser/use-online.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { type BulkObstacle, bulkPlan, obstacleText } from "../logic/decisions/bulk-rules.js";

/** The obstacles that are gone once the reader has opened the call. */
const reviewObstacles: ReadonlySet<BulkObstacle> = new Set(["not_opened", "unreviewed", "too_brief"]);

/** Delay before the approve button can be pressed, in milliseconds. */
const delayMs = 1000;

interface BulkDialogProps {
  selected: readonly Approval[];
  onClose: () => void;
}

/** Decides several approvals together, and shows the outcome of each. */
export default function BulkDialog({ selected: given, onClose }: BulkDialogProps) {
  // The approvals that were selected when the dialog opened, in their current state.
  const [atFirst] = useState(given);
  const now = new Map(given.map((approval) => [approval.id, approval]));
  const selected = atFirst.map((approval) => now.get(approval.id) ?? approval);
  const inbox = useInbox();
  const reviewed = useValue(inbox.reviewed);
  const online = useOnline();
  const bulk = useBulkDecide();
  const [reason, setReason] = useState("");
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  const plan = bulkPlan(selected, reviewed);
  const blocked = !online
    ? "Cannot reach the server"
    : bulk.isPending
      ? "Sending your decisions"
      : armed
        ? undefined
        : "Available in a moment";
  const decide = (type: "approve" | "deny", items: readonly Approval[]) =>
    bulk.mutate({ type, items, reason: reason.trim() }, { onSuccess: () => inbox.selected.set(new Set()) });
  return (
    <DialogFrame title={`Decide ${selected.length} together`} onClose={onClose}>
      <p className="cs-dialog-words">
        {plan.opened} of {selected.length} opened by you. You can approve together only what you have opened
        and fully reviewed.
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
                <Sentence approval={approval} />
              </span>
              <small data-outcome={outcome ? (outcome.ok ? "ok" : "failed") : undefined}>
                {outcome ? (
                  outcome.text
                ) : obstacle === undefined ? (
                  "Reviewed"
                ) : reviewObstacles.has(obstacle) ? (
                  <Link href={`/approvals/${approval.id}`} onClick={onClose}>
                    {obstacleText(obstacle, approval, reviewed.get(approval.id))}
                  </Link>
                ) : (
                  obstacleText(obstacle, approval)
                )}
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
              Reason for denying <small>· optional, the agent reads it</small>
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
              arming={armed ? undefined : delayMs}
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
