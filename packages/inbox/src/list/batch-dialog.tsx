import { useQueries } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { DialogFrame } from "../components/dialog-frame.js";
import { ErrorNotice } from "../components/error-notice.js";
import { FilledText } from "../components/filled-text.js";
import { KeyName } from "../components/kbd.js";
import { approvalQuery } from "../data/approvals/use-approval.js";
import { useBulkDecide, useIsBulkDeciding } from "../data/approvals/use-bulk-decide.js";
import { useOnline } from "../data/browser/use-online.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { DenyReason, useReasons } from "../decide/deny-reason.js";
import { hasChanges } from "../logic/arguments/edit-draft.js";
import { isReplaceable, reasonOfKey } from "../logic/decisions/deny-reasons.js";
import { batchesOf } from "../logic/lists/batch.js";
import { batchPlan, type Choice, isUnread, mayBeApproved, planLabel } from "../logic/lists/batch-plan.js";
import { isReadableRow } from "../logic/lists/readable-row.js";
import { unreviewedOf } from "../logic/review/unreviewed.js";
import { words } from "../words/words.js";
import type { BatchControls } from "./batch-controls.js";
import { BatchTable } from "./batch-table.js";

/** Delay before the approve button can be pressed, in milliseconds. */
const delayMs = 1000;

interface BatchDialogProps {
  /** The selected calls as the list has them. */
  selected: readonly Approval[];
  onClose: () => void;
  /** The list, where the focus goes afterwards if what had it before is gone. */
  home: RefObject<HTMLElement | null>;
}

/**
 * Reviews several calls in tables, one for each tool, and decides them together. A call whose values are all on the screen for
 * the time it takes to read them is reviewed; one with long values or warnings is opened first.
 */
export default function BatchDialog({ selected: given, onClose, home }: BatchDialogProps) {
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
  const isSending = useIsBulkDeciding();
  /** What is sent is a copy, so nothing of it can be chosen afterwards. */
  const isFixed = isSending || bulk.isSuccess;
  // Its own, because that of the inbox ends as the decisions are sent.
  const [draft, setDraft] = useState(inbox.bulkDraft.get);
  useEffect(() => inbox.bulkDraft.set(draft), [inbox, draft]);
  const setReason = (denyReason: string) => !isFixed && setDraft((now) => ({ ...now, denyReason }));
  const [onScreen, setOnScreen] = useState<ReadonlySet<string>>(new Set());
  const noteOnScreen = useCallback(
    (id: string, is: boolean) =>
      setOnScreen((all) => {
        if (all.has(id) === is) return all;
        return new Set(is ? [...all, id] : [...all].filter((other) => other !== id));
      }),
    [],
  );
  const [, navigate] = useLocation();
  const reasons = useReasons();
  const reasonField = useRef<HTMLInputElement>(null);
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  const outcomes = bulk.data;
  const batches = useMemo(() => batchesOf(approvals), [approvals]);
  const typed = useValue(inbox.drafts);
  const changed = useMemo(
    () =>
      new Set(
        approvals.flatMap((approval) =>
          hasChanges(approval, typed.get(approval.id)?.fields ?? {}) ? [approval.id] : [],
        ),
      ),
    [approvals, typed],
  );
  const choices = new Map(
    approvals.map(({ id }): [string, Choice] => [id, draft.choices.get(id) ?? "approve"]),
  );
  const plan = batchPlan(approvals, reviewed, choices, changed);
  const { toApprove, toDeny } = plan;
  const label = planLabel(plan);
  const unread = approvals.filter(({ id }) => isUnread(plan, id));
  const reading = unread.find(
    (approval) =>
      onScreen.has(approval.id) && isReadableRow(approval, unreviewedOf(approval, reviewed.get(approval.id))),
  );
  const blocked = !online
    ? words.batch.blocked.offline
    : isSending
      ? words.batch.blocked.sending
      : armed
        ? undefined
        : words.batch.blocked.arming;
  const send = () =>
    bulk.mutate(
      { approve: toApprove, deny: toDeny, reason: draft.denyReason.trim() },
      {
        onSuccess(results) {
          // A message says what was decided, and takes all of it back.
          if ([...results.values()].every(({ ok }) => ok)) onClose();
        },
      },
    );
  const controls: BatchControls = {
    choices,
    isFixed,
    onChoose: (id, choice) =>
      !isFixed && setDraft((now) => ({ ...now, choices: new Map(now.choices).set(id, choice) })),
    obstacles: plan.obstacles,
    // What was sent stays in the sum, unless it was refused.
    isCounted: (id) =>
      isFixed && bulk.variables
        ? bulk.variables.approve.some((each) => each.id === id) && (outcomes?.get(id)?.ok ?? true)
        : mayBeApproved(plan, id),
    onReasonKey(key) {
      const isFree = toDeny.length > 0 && !isFixed && isReplaceable(draft.denyReason, reasons);
      const chosen = isFree ? reasonOfKey(key, reasons) : undefined;
      if (chosen !== undefined) setReason(chosen);
      return chosen !== undefined;
    },
    outcomes,
    readingId: reading?.id,
    onScreen: noteOnScreen,
    onOpen(id) {
      onClose();
      navigate(`/approvals/${id}${window.location.search}`);
    },
  };
  return (
    <DialogFrame title={words.batch.title(ids.length)} wide onClose={onClose} home={home}>
      <p className="cs-dialog-words" role="status">
        {approvals.length < ids.length
          ? words.batch.loading(ids.length - approvals.length, ids.length)
          : unread.length > 0
            ? words.batch.unread
            : words.batch.allRead}
      </p>
      {failed && <ErrorNotice error={failed} />}
      {batches.map((batch) => (
        <BatchTable
          key={JSON.stringify([batch.mcpServer, batch.toolName])}
          batch={batch}
          controls={controls}
        />
      ))}
      {bulk.isError && <ErrorNotice error={bulk.error} />}
      {toDeny.length > 0 && !bulk.isSuccess && (
        <DenyReason
          reasons={reasons}
          reason={draft.denyReason}
          readOnly={isFixed}
          onChange={setReason}
          field={reasonField}
          label={words.batch.denyReason}
        />
      )}
      <div className="cs-decision-buttons">
        <span className="cs-hint">
          <FilledText
            text={words.batch.keys}
            parts={{
              space: <KeyName of="leaveOut" />,
              d: <KeyName of="denyInTable" />,
              enter: <KeyName of="openFromTable" />,
            }}
          />
        </span>
        <span className="cs-spacer" />
        {bulk.isSuccess ? (
          <Button tone="primary" onClick={onClose}>
            {words.batch.close}
          </Button>
        ) : (
          <Button
            tone="primary"
            arming={armed ? undefined : delayMs}
            blocked={label === "" ? words.batch.blocked.nothing : blocked}
            onClick={send}
          >
            {label || words.batch.decideNothing}
          </Button>
        )}
      </div>
    </DialogFrame>
  );
}
