import { Tooltip } from "@base-ui/react/tooltip";
import { Icon } from "../../components/icon.js";
import { main } from "../../components/menu-popup.js";
import { SafeText } from "../../components/safe-text.js";
import { usePortal } from "../../data/inbox/host.js";
import { words } from "../../words/words.js";

interface ArgumentDescriptionProps {
  /** The id of the element with the description. */
  id: string;
  name: string;
  text: string;
}

/**
 * What the tool's schema says about an argument. Where the reader can hover, a button shows it and screen readers read it; it
 * stands below the name while the argument is edited, on paper and on touch screens.
 */
export function ArgumentDescription({ id, name, text }: ArgumentDescriptionProps) {
  return (
    <>
      <Tooltip.Root>
        <Tooltip.Trigger
          className="cs-about"
          delay={150}
          closeOnClick={false}
          aria-label={words.detail.facts.about(name)}
          aria-describedby={id}
        >
          <Icon name="info" />
        </Tooltip.Trigger>
        <Tooltip.Portal {...usePortal(main)}>
          <Tooltip.Positioner className="cs-positioner" side="bottom" sideOffset={4} align="start">
            <Tooltip.Popup className="cs-tooltip">
              <SafeText text={text} />
            </Tooltip.Popup>
          </Tooltip.Positioner>
        </Tooltip.Portal>
      </Tooltip.Root>
      <small id={id} className="cs-about-text">
        <SafeText text={text} />
      </small>
    </>
  );
}
