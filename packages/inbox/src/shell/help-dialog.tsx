import { useId } from "react";
import { DialogFrame } from "../components/dialog-frame.js";
import { useIsMac } from "../data/browser/use-key-hint.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { entryOf, groups, keyIds } from "../logic/keyboard/commands.js";
import { keyText } from "../logic/keyboard/key-text.js";
import { words } from "../words/words.js";

/** Lists the keyboard shortcuts, and turns single-letter ones on or off. */
export default function HelpDialog({ onClose }: { onClose: () => void }) {
  const { singleKeys } = useInbox();
  const on = useValue(singleKeys);
  const isMac = useIsMac();
  const id = useId();
  const { labels } = words.commands;
  return (
    <DialogFrame title={labels.help} onClose={onClose}>
      {groups.map((group) => (
        <section key={group} className="cs-shortcuts" aria-labelledby={`${id}-${group}`}>
          <h3 id={`${id}-${group}`}>{words.commands.groups[group]}</h3>
          <dl>
            {keyIds
              .filter((key) => entryOf(key).group === group && entryOf(key).keys.length > 0)
              .map((command) => (
                <div key={command}>
                  <dt>
                    {entryOf(command).keys.map((key) => (
                      <kbd key={key} className="cs-kbd">
                        {keyText(key, isMac)}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{labels[command]}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <label className="cs-choice">
        <input type="checkbox" checked={on} onChange={(event) => singleKeys.set(event.target.checked)} />
        <span>{words.commands.singleKeys}</span>
      </label>
    </DialogFrame>
  );
}
