import { reversibleText } from "@countersign/policy/display";
import { useId } from "react";
import type { Approval } from "../../api/approval.js";
import { Icon } from "../../components/icon.js";
import { SafeText } from "../../components/safe-text.js";
import type { Review } from "../../data/approvals/use-review.js";
import type { Editing } from "../../decide/use-editing.js";
import { effectsPlace } from "../../logic/review/effect-places.js";
import { flagsOfEffects } from "../../logic/review/unreviewed.js";
import { exactTime } from "../../logic/wording/exact-time.js";
import { words } from "../../words/words.js";
import { EffectRow } from "./effect-row.js";
import { Warnings } from "./warnings.js";

interface EffectsProps {
  approval: Approval;
  editing: Editing;
  review: Review;
  /** Whether the reader can approve, and so can mark warnings as checked. */
  approves: boolean;
}

/** What the call would change, before and after, as found out when it was proposed. */
export function Effects({ approval, editing, review, approves }: EffectsProps) {
  const id = useId();
  const { preview, verdict, status, createdAt } = approval;
  if (preview === null) return null;
  const { failed, effects, reversible } = preview;
  const texts = words.detail.facts.effects;
  const flags = flagsOfEffects(approval);
  const mayStart = ["proposed", "pending", "approved"].includes(status);
  const edited = editing.on || editing.changes.length > 0;
  return (
    <div className="cs-effects">
      <h3 id={id}>{texts.title}</h3>
      {failed !== null ? (
        <p className="cs-flag">
          <Icon name="high" />
          <strong>{words.display.effects.failures[failed]}</strong>
        </p>
      ) : (
        <>
          {effects.length === 0 ? (
            <p>{texts.none}</p>
          ) : (
            <dl className="cs-fields" aria-labelledby={id}>
              {effects.map((effect, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the effects of one call never change
                <EffectRow key={index} effect={effect} index={index} review={review} />
              ))}
            </dl>
          )}
          {flags.length > 0 && (
            <Warnings
              flags={flags}
              checked={approves ? review.reviewed.checked.has(effectsPlace) : undefined}
              onCheck={(checked) => review.mark("checked", [effectsPlace], checked)}
            />
          )}
          <p className="cs-effects-reversible">
            <SafeText text={reversibleText(reversible, words.display)} />
          </p>
          {(edited || verdict !== "manual") && (
            <p className="cs-hint">{foundOut(edited, mayStart, createdAt)}</p>
          )}
        </>
      )}
    </div>
  );
}

/** When the effects were found out, and what is found out again. */
function foundOut(edited: boolean, mayStart: boolean, createdAt: string): string {
  const { asProposed, repeated, proposedAt } = words.detail.facts.effects;
  if (mayStart) return edited ? asProposed : repeated;
  return proposedAt(exactTime(createdAt));
}
