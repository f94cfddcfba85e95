import { isUnchanged } from "@countersign/policy/display";
import { useCallback, useLayoutEffect, useMemo, useRef } from "react";
import type { Approval } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { useReviewing } from "../data/approvals/use-review.js";
import { useSeenClock } from "../data/approvals/use-seen-clock.js";
import { type StickyHead, useOnScreen } from "../data/browser/use-on-screen.js";
import { Unchanged } from "../detail/arguments/unchanged.js";
import { Warnings } from "../detail/arguments/warnings.js";
import { argumentFields } from "../logic/arguments/argument-fields.js";
import { schemaOf } from "../logic/arguments/json-schema.js";
import type { Batch } from "../logic/lists/batch.js";
import { hasValues } from "../logic/review/effect-places.js";
import { readingTime } from "../logic/review/seeing-time.js";
import { elsewhere, flagsByPlace, flagsOfEffects, isReviewed } from "../logic/review/unreviewed.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { ModelValue } from "../values/model-value.js";
import { countNumber } from "../words/locale.js";
import { words } from "../words/words.js";
import { BatchCell } from "./batch-cell.js";
import type { BatchControls } from "./batch-controls.js";
import { BatchReview } from "./batch-review.js";

interface BatchRowProps {
  approval: Approval;
  batch: Batch;
  controls: BatchControls;
  /** Whether there is a column for what the calls would change. */
  showsEffects: boolean;
  /** Whether there is a column for whom they are. */
  showsRequester: boolean;
  tabIndex: 0 | -1;
  /** The head of the table, which may cover rows. */
  sticky: StickyHead;
}

/** One call: what the reader wants for it, its values, and whether it was read. */
export function BatchRow({
  approval,
  batch,
  controls,
  showsEffects,
  showsRequester,
  tabIndex,
  sticky,
}: BatchRowProps) {
  const { id } = approval;
  const { onChoose, onScreen } = controls;
  const choice = controls.choices.get(id) ?? "leave";
  const row = useRef<HTMLTableRowElement>(null);
  const reviewing = useReviewing(approval);
  const { reviewed, unreviewed, mark, markSeen } = reviewing;
  const isSeen = reviewed.seen && isReviewed(unreviewed);
  const counts = controls.readingId === id && !isSeen;
  const ms = useMemo(() => readingTime(batch.newIn(id)), [batch, id]);
  const { below } = unreviewed;
  const onSeen = useCallback(() => {
    // Nothing in a row that is wholly on the screen is cut: the table wraps its values.
    mark("reached", below);
    markSeen();
  }, [mark, markSeen, below]);
  useSeenClock(row, counts ? ms : undefined, onSeen);
  useOnScreen(
    row,
    useCallback((is: boolean) => onScreen(id, is), [onScreen, id]),
    sticky,
  );
  const flags = useMemo(() => {
    const fields = argumentFields(approval.input, { schema: schemaOf(approval), editable: [] });
    return flagsByPlace(approval, fields);
  }, [approval]);
  const hasFocus = useRef(false);
  useLayoutEffect(() => {
    // What had the focus may be gone, such as a link that has become text.
    if (hasFocus.current && document.activeElement === document.body) row.current?.focus();
  });
  const same = batch.sameAs(id);
  const sentence = sentenceOf(approval);
  return (
    <tr
      ref={row}
      data-id={id}
      data-choice={choice}
      tabIndex={tabIndex}
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={() => {
        hasFocus.current = false;
      }}
      aria-label={`${sentence}: ${words.batch.row.choice[choice]}`}
    >
      <td>
        <label className="cs-checkbox">
          <input
            type="checkbox"
            className="cs-checkbox-box"
            tabIndex={-1}
            aria-disabled={controls.isFixed || undefined}
            checked={choice === "approve"}
            onChange={(event) => onChoose(id, event.target.checked ? "approve" : "leave")}
            aria-label={words.batch.row.approve(sentence)}
          />
          <Icon name="check" />
        </label>
        {choice === "deny" && <small className="cs-batch-deny">{words.batch.row.deny}</small>}
      </td>
      {showsRequester && (
        <td>
          <SafeText text={approval.requesterId ?? words.batch.row.nobody} />
        </td>
      )}
      {batch.columns.map((column) => (
        <BatchCell
          key={column.id}
          approval={approval}
          batch={batch}
          column={column}
          flags={flags.get(column.keys.join(".")) ?? []}
        />
      ))}
      {showsEffects && (
        <td>
          <Effects approval={approval} />
        </td>
      )}
      <td>
        {same !== undefined && (
          <small className="cs-batch-outlier">
            <Icon name="high" />
            {words.batch.row.sameAs(same)}
          </small>
        )}
        <BatchReview approval={approval} controls={controls} reviewing={reviewing} isSeen={isSeen} />
        {flags.has(elsewhere) && (
          <Warnings flags={flags.get(elsewhere) ?? []} more={approval.flagsTruncated ?? false} />
        )}
      </td>
    </tr>
  );
}

/** What a call would change, whole. */
function Effects({ approval }: { approval: Approval }) {
  const flags = flagsOfEffects(approval);
  return (
    <>
      <ul className="cs-values">
        {approval.preview?.effects.map((effect, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the effects of a call never change
          <li key={index}>
            <EffectInRow effect={effect} />
          </li>
        ))}
      </ul>
      {flags.length > 0 && <Warnings flags={flags} />}
    </>
  );
}

function EffectInRow({ effect }: { effect: NonNullable<Approval["preview"]>["effects"][number] }) {
  const { target, before, after, count } = effect;
  return (
    <>
      <div className="cs-model-value">
        <SafeText text={target} />
      </div>
      {count !== undefined && ` (${countNumber(count)})`}
      <Unchanged effect={effect} warns />
      {hasValues(effect) && !isUnchanged(effect) && (
        <>
          <ModelValue name={target} value={before ?? null} /> <Icon name="after" />{" "}
          <span className="cs-visually-hidden">{words.batch.row.becomes} </span>
          <ModelValue name={target} value={after ?? null} />
        </>
      )}
    </>
  );
}
