import { inQuotes } from "countersign/display";
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { useReviewing } from "../data/approvals/use-review.js";
import { useSeenClock } from "../data/approvals/use-seen-clock.js";
import { useTakeBack } from "../data/approvals/use-take-back.js";
import { useOnScreen } from "../data/browser/use-on-screen.js";
import { fieldLabel, hiddenValue } from "../logic/arguments/argument-fields.js";
import { type BulkObstacle, obstacleText } from "../logic/decisions/bulk-rules.js";
import { type Batch, totalOf } from "../logic/lists/batch.js";
import { seeingTime } from "../logic/review/seeing-time.js";
import { isReviewed } from "../logic/review/unreviewed.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { Value } from "../values/argument-value.js";
import { HiddenValue } from "../values/hidden-value.js";

/** What the reader wants for a call of the table. */
export type Choice = "approve" | "deny" | "leave";

interface BatchTableProps {
  batch: Batch;
  choices: ReadonlyMap<string, Choice>;
  onChoose: (id: string, choice: Choice) => void;
  obstacles: ReadonlyMap<string, BulkObstacle>;
  /** What became of each call that was decided. */
  outcomes: ReadonlyMap<string, { ok: boolean; text: string }> | undefined;
  /** The call whose time to be read counts now: one after the other, as people read. */
  readingId: string | undefined;
  /** Reports when all of a row comes to the screen, and when it leaves. */
  onScreen: (id: string, is: boolean) => void;
  onOpen: () => void;
}

/** Like calls as rows with all their values, one column for each argument. */
export function BatchTable({
  batch,
  choices,
  onChoose,
  obstacles,
  outcomes,
  readingId,
  onScreen,
  onOpen,
}: BatchTableProps) {
  const haveEffects = batch.approvals.some(({ preview }) => (preview?.effects.length ?? 0) > 0);
  const haveRequesters = new Set(batch.approvals.map(({ requesterId }) => requesterId)).size > 1;
  const body = useRef<HTMLTableSectionElement>(null);
  const chosen = useMemo(
    () => new Set(batch.approvals.flatMap(({ id }) => (choices.get(id) === "approve" ? [id] : []))),
    [batch, choices],
  );
  const onKeyDown = (event: KeyboardEvent<HTMLTableSectionElement>) => {
    const row = event.target instanceof HTMLElement ? event.target.closest("tr") : null;
    if (row === null || event.target !== row) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const id = row.dataset.id ?? "";
    const now = choices.get(id);
    if (step !== 0) {
      const rows = [...(body.current?.rows ?? [])];
      rows[Math.max(0, Math.min(rows.length - 1, rows.indexOf(row) + step))]?.focus();
    } else if (event.key === " ") onChoose(id, now === "approve" ? "leave" : "approve");
    else if (event.key.toLowerCase() === "d" && !event.ctrlKey && !event.metaKey)
      onChoose(id, now === "deny" ? "leave" : "deny");
    else return;
    event.preventDefault();
  };
  return (
    <div className="cs-batch-scroll">
      <table className="cs-batch">
        <caption>
          <code>{batch.toolName}</code>
          {batch.mcpServer !== null && <> of the MCP server {inQuotes(batch.mcpServer)}</>} ·{" "}
          {batch.approvals.length} {batch.approvals.length === 1 ? "call" : "calls"}
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="cs-visually-hidden">Decision</span>
            </th>
            {haveRequesters && <th scope="col">for</th>}
            {batch.columns.map((column) => (
              <th key={column.id} scope="col" data-numeric={column.isNumeric || undefined}>
                <SafeText text={fieldLabel(column.keys) || "value"} />
              </th>
            ))}
            {haveEffects && <th scope="col">would change</th>}
            <th scope="col">Review</th>
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={onKeyDown}>
          {batch.approvals.map((approval, index) => (
            <BatchRow
              key={approval.id}
              approval={approval}
              batch={batch}
              choice={choices.get(approval.id) ?? "leave"}
              onChoose={onChoose}
              obstacle={obstacles.get(approval.id)}
              outcome={outcomes?.get(approval.id)}
              isReading={readingId === approval.id}
              showsEffects={haveEffects}
              showsRequester={haveRequesters}
              onScreen={onScreen}
              tabIndex={index === 0 ? 0 : -1}
              onOpen={onOpen}
            />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            {haveRequesters && <td />}
            {batch.columns.map((column) => (
              <td key={column.id} data-numeric={column.isNumeric || undefined}>
                <strong>{totalOf(batch, column, chosen)}</strong>
              </td>
            ))}
            {haveEffects && <td />}
            <td />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

interface BatchRowProps {
  approval: Approval;
  batch: Batch;
  choice: Choice;
  onChoose: (id: string, choice: Choice) => void;
  obstacle: BulkObstacle | undefined;
  outcome: { ok: boolean; text: string } | undefined;
  isReading: boolean;
  /** Whether there is a column for what the calls would change. */
  showsEffects: boolean;
  /** Whether there is a column for whom they are. */
  showsRequester: boolean;
  onScreen: (id: string, is: boolean) => void;
  tabIndex: 0 | -1;
  onOpen: () => void;
}

function BatchRow({
  approval,
  batch,
  choice,
  onChoose,
  obstacle,
  outcome,
  isReading,
  showsEffects,
  showsRequester,
  onScreen,
  tabIndex,
  onOpen,
}: BatchRowProps) {
  const { id } = approval;
  const row = useRef<HTMLTableRowElement>(null);
  const { reviewed, unreviewed, mark, markSeen } = useReviewing(approval);
  const isSeen = reviewed.seen && isReviewed(unreviewed);
  const needsOpening = unreviewed.folds.length + unreviewed.warnings.length > 0;
  const ms = useMemo(() => seeingTime(approval), [approval]);
  const { below } = unreviewed;
  const onSeen = useCallback(() => {
    // Nothing in a row that is wholly on the screen is cut: the table wraps its values.
    mark("reached", below);
    markSeen();
  }, [mark, markSeen, below]);
  useSeenClock(row, isReading && !needsOpening && !isSeen ? ms : undefined, onSeen);
  useOnScreen(
    row,
    useCallback((is: boolean) => onScreen(id, is), [onScreen, id]),
  );
  const takeBack = useTakeBack();
  const [isTakenBack, setTakenBack] = useState(false);
  const sentence = sentenceOf(approval);
  return (
    <tr
      ref={row}
      data-id={id}
      data-choice={choice}
      tabIndex={tabIndex}
      aria-label={`${sentence}: ${choiceText[choice]}`}
    >
      <td>
        <label className="cs-checkbox">
          <input
            type="checkbox"
            className="cs-checkbox-box"
            tabIndex={-1}
            checked={choice === "approve"}
            onChange={(event) => onChoose(id, event.target.checked ? "approve" : "leave")}
            aria-label={`Approve: ${sentence}`}
          />
          <Icon name="check" />
        </label>
        {choice === "deny" && <small className="cs-batch-deny">Deny</small>}
      </td>
      {showsRequester && (
        <td>
          <SafeText text={approval.requesterId ?? "nobody"} />
        </td>
      )}
      {batch.columns.map((column) => {
        const { keys, isNumeric } = column;
        const own = batch.cellOf(id, column);
        const outlier = batch.isOutlier(id, column);
        return (
          <td key={column.id} data-numeric={isNumeric || undefined} data-outlier={outlier || undefined}>
            {own === undefined ? (
              <em className="cs-nothing">none</em>
            ) : own.value === hiddenValue ? (
              <HiddenValue />
            ) : (
              <Value name={keys.at(-1) ?? ""} value={own.value} schema={own.schema} />
            )}
            {outlier && (
              <small className="cs-batch-outlier">
                <Icon name="high" />
                unlike the others
              </small>
            )}
          </td>
        );
      })}
      {showsEffects && (
        <td>
          <Effects approval={approval} />
        </td>
      )}
      <td>
        {outcome ? (
          <>
            <small data-outcome={outcome.ok ? "ok" : "failed"}>
              {isTakenBack && approval.status === "pending" ? "Waits again" : outcome.text}
            </small>
            {approval.held && !isTakenBack && (
              <Button
                tone="quiet"
                onClick={() => {
                  setTakenBack(true);
                  void takeBack(id, true);
                }}
              >
                Take back
              </Button>
            )}
          </>
        ) : isSeen && obstacle === undefined ? (
          <small>Seen</small>
        ) : (
          // Also for a row that is wider than the window, and so is never wholly on the screen.
          <Link href={`/approvals/${id}`} onClick={onOpen}>
            {obstacle === undefined || obstacle === "not_opened" || obstacle === "too_brief"
              ? "Not read yet"
              : obstacleText(obstacle, approval, reviewed)}
          </Link>
        )}
      </td>
    </tr>
  );
}

/** What a call would change, whole. */
function Effects({ approval: { preview } }: { approval: Approval }) {
  return (
    <ul className="cs-values">
      {preview?.effects.map(({ target, before, after, count }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the effects of a call never change
        <li key={index}>
          <SafeText text={target} />
          {count !== undefined && ` (${count.toLocaleString("en")})`}
          {(before !== undefined || after !== undefined) && (
            <>
              {": "}
              <Value name={target} value={before ?? null} /> <Icon name="after" />{" "}
              <span className="cs-visually-hidden">becomes </span>
              <Value name={target} value={after ?? null} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

const choiceText: Readonly<Record<Choice, string>> = {
  approve: "to approve",
  deny: "to deny",
  leave: "left out",
};
