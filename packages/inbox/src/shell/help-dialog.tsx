import { DialogFrame } from "../components/dialog-frame.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";

const shortcuts = [
  ["J, K", "Next, previous"],
  ["Enter", "Open the most urgent"],
  ["A", "Approve"],
  ["D", "Deny"],
  ["1 to 9", "Choose a reason for denying"],
  ["E", "Edit"],
  ["Ctrl Enter", "Approve with changes"],
  ["R", "Raw JSON"],
  ["S", "Snooze: put aside until a later time"],
  ["U", "Take back your latest decision or snooze, or undo a call that has run"],
  ["X, Space", "Select"],
  ["B", "Review the selected calls together"],
  ["F", "Filter"],
  ["/", "Search"],
  ["F6", "Next part of the page"],
  ["Ctrl K", "Commands"],
  ["Esc", "Back or cancel"],
  ["?", "Keyboard shortcuts"],
] as const;

/** Lists the keyboard shortcuts, and turns single-letter ones on or off. */
export default function HelpDialog({ onClose }: { onClose: () => void }) {
  const { singleKeys } = useInbox();
  const on = useValue(singleKeys);
  return (
    <DialogFrame title="Keyboard shortcuts" onClose={onClose}>
      <dl className="cs-shortcuts">
        {shortcuts.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd className="cs-kbd">{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label className="cs-choice">
        <input type="checkbox" checked={on} onChange={(event) => singleKeys.set(event.target.checked)} />
        <span>Use single-letter shortcuts</span>
      </label>
    </DialogFrame>
  );
}
