import type { Approval } from "../api/approval.js";
import { FilledText } from "../components/filled-text.js";
import { SafeText } from "../components/safe-text.js";
import { needsText } from "../logic/wording/rule-text.js";
import { words } from "../words/words.js";

/** Why people are asked, in the words of the rules, and who has to approve. */
export function Why({ approval }: { approval: Approval }) {
  const { reasons, reason, verdict } = approval;
  return (
    <p className="cs-why">
      {reasons.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rules may have one name
        <span key={index}>
          {each.reason === null ? (
            <FilledText
              text={words.detail.terms.rule}
              parts={{ rule: <code className="cs-mono">{each.rule}</code> }}
            />
          ) : (
            <SafeText text={each.reason} />
          )}
          {" · "}
        </span>
      ))}
      {reasons.length === 0 && reason && (
        <span>
          <SafeText text={reason} />
          {" · "}
        </span>
      )}
      <span>{verdict === "notify" ? words.detail.why.notified : needsText(approval)}</span>
    </p>
  );
}
