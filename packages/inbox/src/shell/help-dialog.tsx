import { useInbox } from "../data/inbox-context.js";
import { useValue } from "../data/value-store.js";
import { DialogFrame } from "./dialog-frame.js";

const shortcuts = [
  ["J, K", "Next, previous"],
  ["Enter", "Open the most urgent"],
  ["A", "Approve"],
  ["D", "Deny"],
  ["E", "Edit"],
  ["R", "Raw JSON"],
  ["X", "Select"],
  ["/", "Search"],
  ["Ctrl K", "Commands"],
  ["Esc", "Back, or stop"],
  ["?", "This list"],
] as const;

/** Which keys do what, and the way to switch the single ones off. */
export default function HelpDialog({ onClose }: { onClose: () => void }) {
  const { singleKeys } = useInbox();
  const on = useValue(singleKeys);
  return (
    <DialogFrame title="Keyboard shortcuts" onClose={onClose}>
      <dl className="cs-shortcuts">
        {shortcuts.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd className="cs-kbd">{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <label className="cs-choice">
        <input type="checkbox" checked={on} onChange={(event) => singleKeys.set(event.target.checked)} />
        <span>Single letters act as shortcuts</span>
      </label>
    </DialogFrame>
  );
}
