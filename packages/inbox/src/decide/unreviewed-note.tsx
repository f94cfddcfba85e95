import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { type Unreviewed, unreviewedText } from "../logic/review/unreviewed.js";
import { words } from "../words/words.js";

interface UnreviewedNoteProps {
  id: string;
  unreviewed: Unreviewed;
  onShow: () => void;
}

/** Lists what the reader has not reviewed, with a button that shows it. */
export function UnreviewedNote({ id, unreviewed, onShow }: UnreviewedNoteProps) {
  const text = unreviewedText(unreviewed);
  return (
    <div className="cs-unreviewed-note" data-some={text.length > 0 || undefined}>
      {/* Always rendered, so that screen readers announce changes. */}
      <span id={id} role="status">
        {text.length > 0 && <Icon name="eye" />}
        {text.join(" · ")}
      </span>
      {text.length > 0 && <Button onClick={onShow}>{words.decide.show}</Button>}
    </div>
  );
}

/** The id of the note, for `aria-describedby` of the approve button. */
export function unreviewedNoteId({ id }: Approval): string {
  return `unseen-${id}`;
}
