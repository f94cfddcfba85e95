import type { Approval } from "../api/approval.js";
import { requestedValues } from "../logic/wording/requested-values.js";
import { words } from "../words/words.js";
import { SafeText } from "./safe-text.js";

/** Below the sentence of an edited call: the values that were asked for. */
export function RequestedValues({ approval }: { approval: Approval }) {
  const values = requestedValues(approval);
  if (values.length === 0) return null;
  return (
    <small className="cs-requested">
      {words.decided.requested}{" "}
      <span className="cs-value">
        <SafeText text={values.join(", ")} />
      </span>
    </small>
  );
}
