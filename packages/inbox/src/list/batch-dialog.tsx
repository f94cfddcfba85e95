import { useQueries } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { DialogFrame } from "../components/dialog-frame.js";
import { ErrorNotice } from "../components/error-notice.js";
import { FilledText } from "../components/filled-text.js";
import { KeyName } from "../components/kbd.js";
import { approvalQuery } from "../data/approvals/use-approval.js";
import { type BulkDecision, useBulkDecide, useIsBulkDeciding } from "../data/approvals/use-bulk-decide.js";
import { useOnline } from "../data/browser/use-online.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { DenyReason, useReasons } from "../decide/deny-reason.js";
import { isReplaceable, reasonOfKey } from "../logic/decisions/deny-reasons.js";
import { isUndecided } from "../logic/decisions/hold.js";
import { batchesOf } from "../logic/lists/batch.js";
import { editablePlaces } from "../logic/lists/batch-edits.js";
import { batchPlan, type Choice, isUnread, mayBeApproved, planLabel } from "../logic/lists/batch-plan.js";
import { isReadableRow } from "../logic/lists/readable-row.js";
import { unreviewedOf } from "../logic/review/unreviewed.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";
import type { BatchControls } from "./batch-controls.js";
import { BatchTable } from "./batch-table.js";
import { useBatchEdits } from "./use-batch-edits.js";
import { type OpenCell, useCellEditor } from "./use-cell-editor.js";

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
  const isSending = useIsBulkDeciding();
  /** What is sent is a copy, so nothing of it may change afterwards. */
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
  const reasons = useReasons();
  const reasonField = useRef<HTMLInputElement>(null);
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  const openCell = useState<OpenCell>();
  const edits = useBatchEdits(approvals, openCell[0]?.id);
  const { variables: sent, outcomes } = bulk;
  const batches = useMemo(() => {
    const undecided = new Set(approvals.filter(isUndecided).map(({ id }) => id));
    // The drafts of what is decided are dropped. What was refused may be decided otherwise by somebody else.
    const decided = (sent?.edit ?? []).filter(
      ({ approval: { id } }) => !undecided.has(id) && (isSending || outcomes?.get(id)?.ok),
    );
    return batchesOf(
      approvals,
      new Map([
        ...decided.map(({ approval, input }) => [approval.id, input] as const),
        ...[...edits].map(([id, { input }]) => [id, input] as const),
      ]),
    );
  }, [approvals, edits, sent, outcomes, isSending]);
  const editor = useCellEditor(batches, openCell);
  const choices = new Map(
    approvals.map(({ id }): [string, Choice] => [id, draft.choices.get(id) ?? "approve"]),
  );
  const plan = batchPlan({ approvals, reviewed, choices, edits });
  const { toApprove, toEdit, toDeny } = plan;
  const label = planLabel(plan, batches);
  const unread = approvals.filter(({ id }) => isUnread(plan, id));
  const reading = unread.find(
    (approval) =>
      onScreen.has(approval.id) && isReadableRow(approval, unreviewedOf(approval, reviewed.get(approval.id))),
  );
  const blocked = !online
    ? words.batch.blocked.offline
    : isSending
      ? words.batch.blocked.sending
      : editor.open
        ? words.batch.blocked.editing
        : plan.isChecking
          ? words.batch.blocked.checking
          : armed
            ? undefined
            : words.batch.blocked.arming;
  const send = () =>
    bulk.mutate({ approve: toApprove, edit: toEdit, deny: toDeny, reason: draft.denyReason.trim() });
  const controls: BatchControls = {
    choices,
    isFixed,
    onChoose: (id, choice) =>
      !isFixed && setDraft((now) => ({ ...now, choices: new Map(now.choices).set(id, choice) })),
    obstacles: plan.obstacles,
    // What was sent stays in the sum, unless it was refused.
    isCounted: (id) =>
      isFixed && sent
        ? isSentToApprove(sent, id) && (outcomes?.get(id)?.ok ?? true)
        : mayBeApproved(plan, id),
    edits,
    editor,
    onReasonKey(key) {
      const isFree = toDeny.length > 0 && !isFixed && isReplaceable(draft.denyReason, reasons);
      const chosen = isFree ? reasonOfKey(key, reasons) : undefined;
      if (chosen !== undefined) setReason(chosen);
      return chosen !== undefined;
    },
    outcomes,
    readingId: reading?.id,
    onScreen: noteOnScreen,
    onOpen: onClose,
  };
  const { refused } = editor;
  const refusedCall = approvals.find(({ id }) => id === refused?.id);
  return (
    <DialogFrame title={words.batch.title(ids.length)} wide onClose={onClose}>
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
      {/* Its cell shows the same. A text that appears together with its element is not always announced. */}
      <p className="cs-visually-hidden" role="status">
        {refused && [refused.why, refusedCall && sentenceOf(refusedCall)].filter(Boolean).join(": ")}
      </p>
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
            text={editablePlaces(batches).length > 0 ? words.batch.keysWithEdit : words.batch.keys}
            parts={{
              space: <KeyName of="leaveOut" />,
              d: <KeyName of="denyInTable" />,
              e: <KeyName of="editInTable" />,
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

function isSentToApprove({ approve, edit }: BulkDecision, id: string): boolean {
  return [...approve, ...edit.map(({ approval }) => approval)].some((sent) => sent.id === id);
}
