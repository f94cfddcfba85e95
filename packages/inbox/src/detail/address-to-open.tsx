import { useId } from "react";
import type { Approval } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { useOpenedAddress } from "../data/approvals/use-opened-address.js";
import { addressWarnings } from "../logic/questions/address-warnings.js";

/**
 * The address that a server asks a person to open: its origin first, then the whole address. The page itself never
 * requests it. Only people who may answer get a link.
 */
export function AddressToOpen({ approval, address }: { approval: Approval; address: URL }) {
  const [, setOpened] = useOpenedAddress(approval.id, address);
  const warningsId = useId();
  const warnings = addressWarnings(address);
  const opened = () => setOpened();
  return (
    <div className="cs-address">
      <p className="cs-address-origin">
        {`${address.protocol}//`}
        <strong>{address.host}</strong>
      </p>
      <p className="cs-hint">Open it only if you know this domain and expected the question.</p>
      {warnings.length > 0 && (
        <ul className="cs-flags" id={warningsId} aria-label="Warnings about this address">
          {warnings.map((warning) => (
            <li key={warning} className="cs-flag">
              <Icon name="high" />
              {warning}
            </li>
          ))}
        </ul>
      )}
      <p className="cs-address-whole">
        <span>Whole address</span>
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
          Open {address.host}
          <span className="cs-visually-hidden"> (in a new tab)</span>
        </a>
      )}
    </div>
  );
}
