import { useQueries } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { DialogFrame } from "../components/dialog-frame.js";
import { ErrorNotice } from "../components/error-notice.js";
import { approvalQuery } from "../data/approvals/use-approval.js";
import { useBulkDecide } from "../data/approvals/use-bulk-decide.js";
import { useOnline } from "../data/browser/use-online.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { type BulkObstacle, bulkPlan } from "../logic/decisions/bulk-rules.js";
import { batchesOf, totalText } from "../logic/lists/batch.js";
import { unreviewedOf } from "../logic/review/unreviewed.js";
import { BatchTable, type Choice } from "./batch-table.js";

/** The obstacles that are gone once a call was read. */
const unreadObstacles: ReadonlySet<BulkObstacle> = new Set(["not_opened", "unreviewed", "too_brief"]);

/** Delay before the approve button can be pressed, in milliseconds. */
const delayMs = 1000;

interface BatchDialogProps {
  /** The selected calls as the list has them. */
  selected: readonly Approval[];
  onClose: () => void;
}

/**
 * Reviews several calls in tables, one for each tool, and decides them together. A call whose values are all on the screen for
 * the time it takes to read them is reviewed; one with long values or warnings is opened first.
 */
export default function BatchDialog({ selected: given, onClose }: BatchDialogProps) {
  const [ids] = useState(() => given.map(({ id }) => id));
  const inbox = useInbox();
  const { approvals, failed } = useQueries({
    // Events report what becomes of them; asking for each of many would be too much.
    queries: ids.map((id) => ({ ...approvalQuery(inbox, id), refetchInterval: false as const })),
    combine: (results) => ({
      approvals: results.flatMap(({ data }) => (data && !data.valuesOmitted ? [data] : [])),
      failed: results.find(({ error }) => error)?.error ?? undefined,
    }),
  });
  const reviewed = useValue(inbox.reviewed);
  const online = useOnline();
  const bulk = useBulkDecide();
  const [changed, setChanged] = useState<ReadonlyMap<string, Choice>>(new Map());
  const [onScreen, setOnScreen] = useState<ReadonlySet<string>>(new Set());
  const noteOnScreen = useCallback(
    (id: string, is: boolean) =>
      setOnScreen((all) => {
        if (all.has(id) === is) return all;
        return new Set(is ? [...all, id] : [...all].filter((other) => other !== id));
      }),
    [],
  );
  const [reason, setReason] = useState("");
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  const plan = bulkPlan(approvals, reviewed);
  const batches = useMemo(() => batchesOf(approvals), [approvals]);
  const choiceOf = ({ id }: Approval): Choice => changed.get(id) ?? "approve";
  const choices = new Map(approvals.map((approval) => [approval.id, choiceOf(approval)]));
  const toApprove = plan.approvable.filter((approval) => choiceOf(approval) === "approve");
  const toDeny = plan.deniable.filter((approval) => choiceOf(approval) === "deny");
  const isUnread = ({ id }: Approval) => unreadObstacles.has(plan.obstacles.get(id) ?? "closed");
  const unread = approvals.find(isUnread);
  const reading = approvals.find((approval) => {
    if (!isUnread(approval) || !onScreen.has(approval.id)) return false;
    const { folds, warnings } = unreviewedOf(approval, reviewed.get(approval.id));
    return folds.length + warnings.length === 0;
  });
  const blocked = !online
    ? "Cannot reach the server"
    : bulk.isPending
      ? "Sending your decisions"
      : armed
        ? undefined
        : "Available in a moment";
  const send = () =>
    bulk.mutate(
      { approve: toApprove, deny: toDeny, reason: reason.trim() },
      { onSuccess: () => inbox.selected.set(new Set()) },
    );
  const approvedIds = new Set(toApprove.map(({ id }) => id));
  const total = batches.length === 1 && batches[0] ? totalText(batches[0], approvedIds) : undefined;
  const label = [
    toApprove.length > 0 && `Approve ${toApprove.length}${total ? ` · ${total}` : ""}`,
    toDeny.length > 0 && `${toApprove.length > 0 ? "deny" : "Deny"} ${toDeny.length}`,
  ]
    .filter(Boolean)
    .join(" and ");
  return (
    <DialogFrame title={`Review ${ids.length} together`} wide onClose={onClose}>
      <p className="cs-dialog-words" role="status">
        {approvals.length < ids.length
          ? `Loading ${ids.length - approvals.length} of ${ids.length}`
          : unread
            ? "A row counts as read after a moment on the screen. Rows with long values or warnings are opened first."
            : "All of them are read."}
      </p>
      {failed && <ErrorNotice error={failed} />}
      {batches.map((batch) => (
        <BatchTable
          key={JSON.stringify([batch.mcpServer, batch.toolName])}
          batch={batch}
          choices={choices}
          onChoose={(id, choice) => setChanged((all) => new Map(all).set(id, choice))}
          obstacles={plan.obstacles}
          outcomes={bulk.data}
          readingId={reading?.id}
          onScreen={noteOnScreen}
          onOpen={onClose}
        />
      ))}
      {bulk.isError && <ErrorNotice error={bulk.error} />}
      {toDeny.length > 0 && !bulk.isSuccess && (
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
      )}
      <div className="cs-decision-buttons">
        <span className="cs-hint">
          <kbd className="cs-kbd">Space</kbd> leave out · <kbd className="cs-kbd">D</kbd> deny
        </span>
        <span className="cs-spacer" />
        {bulk.isSuccess ? (
          <Button tone="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <Button
            tone="primary"
            arming={armed ? undefined : delayMs}
            blocked={label === "" ? "None of these can be decided together yet" : blocked}
            onClick={send}
          >
            {label || "Approve 0"}
          </Button>
        )}
      </div>
    </DialogFrame>
  );
}
