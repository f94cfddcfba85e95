import { isUnchanged } from "@countersign/policy/display";
import type { Approval } from "../../api/approval.js";
import { Icon } from "../../components/icon.js";
import { SafeText } from "../../components/safe-text.js";
import type { Review } from "../../data/approvals/use-review.js";
import { hiddenValue } from "../../logic/arguments/argument-fields.js";
import { takesLines } from "../../logic/arguments/value-kind.js";
import { effectPlace, hasValues } from "../../logic/review/effect-places.js";
import { Value } from "../../values/argument-value.js";
import { HiddenValue } from "../../values/hidden-value.js";
import { words } from "../../words/words.js";
import { Unchanged } from "./unchanged.js";
import { useScrolledTo } from "./use-scrolled-to.js";

type Effect = NonNullable<Approval["preview"]>["effects"][number];

interface EffectRowProps {
  effect: Effect;
  index: number;
  review: Review;
}

/** One thing that the call would change: its name, how many, and its values before and after. */
export function EffectRow({ effect, index, review }: EffectRowProps) {
  const { target, count } = effect;
  const place = effectPlace(index);
  const end = useScrolledTo(() => review.mark("reached", [place]));
  return (
    <div className="cs-field" data-whole={!hasValues(effect) || undefined}>
      <dt>
        <span className="cs-text">
          <SafeText text={target} />
        </span>
        {count !== undefined && <small>{words.detail.facts.effects.count(count)}</small>}
      </dt>
      <dd>
        <Unchanged effect={effect} />
        {hasValues(effect) && !(isUnchanged(effect) && !takesLines(target, effect.before)) && (
          <div className="cs-effect">
            <Side of={effect} side="before" index={index} review={review} />
            <Icon name="after" />
            <Side of={effect} side="after" index={index} review={review} />
          </div>
        )}
        <span
          ref={end}
          className="cs-field-end"
          data-unreviewed={review.unreviewed.below.includes(place) ? "below" : undefined}
        />
      </dd>
    </div>
  );
}

interface SideProps {
  of: Effect;
  side: "before" | "after";
  index: number;
  review: Review;
}

function Side({ of: effect, side, index, review: { reviewed, mark } }: SideProps) {
  const place = effectPlace(index, side);
  const value = effect[side];
  return (
    <div>
      <small>{words.detail.facts.effects[side]}</small>
      {value === hiddenValue ? (
        <HiddenValue />
      ) : (
        <Value
          name={effect.target}
          value={value}
          unfolded={reviewed.unfolded.has(place)}
          onUnfold={() => mark("unfolded", [place])}
        />
      )}
    </div>
  );
}
