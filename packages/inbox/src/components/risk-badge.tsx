import type { Risk } from "../api/approval.js";
import { words } from "../words/words.js";
import { Icon } from "./icon.js";

/** The risk as colour, text and icon. */
export function RiskBadge({ risk }: { risk: Risk }) {
  return (
    <span className="cs-risk" data-risk={risk}>
      <Icon name={risk} />
      {words.common.risk[risk]}
    </span>
  );
}
