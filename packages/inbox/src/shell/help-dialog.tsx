import { useId } from "react";
import { DialogFrame } from "../components/dialog-frame.js";
import { useIsMac } from "../data/browser/use-key-hint.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { entryOf, type Group, groups, keyIds } from "../logic/keyboard/commands.js";
import { keyText } from "../logic/keyboard/key-text.js";

const groupIds = Object.keys(groups) as Group[];

/** Lists the keyboard shortcuts, and turns single-letter ones on or off. */
export default function HelpDialog({ onClose }: { onClose: () => void }) {
  const { singleKeys } = useInbox();
  const on = useValue(singleKeys);
  const isMac = useIsMac();
  const id = useId();
  return (
    <DialogFrame title="Keyboard shortcuts" onClose={onClose}>
      {groupIds.map((group) => (
        <section key={group} className="cs-shortcuts" aria-labelledby={`${id}-${group}`}>
          <h3 id={`${id}-${group}`}>{groups[group]}</h3>
          <dl>
            {keyIds
              .map(entryOf)
              .filter((entry) => entry.group === group && entry.keys.length > 0)
              .map(({ keys, label }) => (
                <div key={label}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key} className="cs-kbd">
                        {keyText(key, isMac)}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <label className="cs-choice">
        <input type="checkbox" checked={on} onChange={(event) => singleKeys.set(event.target.checked)} />
        <span>Use single-letter shortcuts</span>
      </label>
    </DialogFrame>
  );
}
