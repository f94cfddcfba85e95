import { useId } from "react";
import type { Approval } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { useOpenedAddress } from "../data/approvals/use-opened-address.js";
import { addressWarnings } from "../logic/questions/address-warnings.js";
import { words } from "../words/words.js";

/**
 * The address that a server asks a person to open: its origin first, then the whole address. The page itself never
 * requests it. Only people who may answer get a link.
 */
export function AddressToOpen({ approval, address }: { approval: Approval; address: URL }) {
  const [, setOpened] = useOpenedAddress(approval.id, address);
  const warningsId = useId();
  const warnings = addressWarnings(address);
  const opened = () => setOpened();
  const texts = words.detail.address;
  return (
    <div className="cs-address">
      <p className="cs-address-origin">
        {`${address.protocol}//`}
        <strong>{address.host}</strong>
      </p>
      <p className="cs-hint">{texts.advice}</p>
      {warnings.length > 0 && (
        <ul className="cs-flags" id={warningsId} aria-label={texts.warnings}>
          {warnings.map((warning) => (
            <li key={warning} className="cs-flag">
              <Icon name="high" />
              {warning}
            </li>
          ))}
        </ul>
      )}
      <p className="cs-address-whole">
        <span>{texts.whole}</span>
        <code>
          <SafeText text={address.href} />
        </code>
      </p>
      {approval.status === "pending" && approval.mayDecide && (
        <a
          className="cs-button"
          href={address.href}
          target="_blank"
          rel="noopener noreferrer"
          aria-describedby={warnings.length > 0 ? warningsId : undefined}
          onClick={opened}
          onAuxClick={opened}
        >
          {texts.open(address.host)}
          <span className="cs-visually-hidden"> {texts.inNewTab}</span>
        </a>
      )}
    </div>
  );
}
