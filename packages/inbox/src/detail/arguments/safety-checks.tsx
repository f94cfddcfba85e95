import type { Approval } from "../../api/approval.js";
import { Heading } from "../../components/heading.js";
import { Icon } from "../../components/icon.js";
import { SafeText } from "../../components/safe-text.js";
import { words } from "../../words/words.js";

/** The safety checks as they were at the proposal, failed ones first. */
export function SafetyChecks({ approval: { checks } }: { approval: Approval }) {
  if (checks.length === 0) return null;
  const texts = words.detail.facts.checks;
  const ordered = [...checks].sort((a, b) => Number(a.ok) - Number(b.ok));
  return (
    <div className="cs-checks">
      <Heading step={2}>{texts.title}</Heading>
      <ul className="cs-values">
        {ordered.map(({ name, ok, message }) => (
          <li key={name} className="cs-check" data-ok={ok}>
            <Icon name={ok ? "check" : "high"} />
            <span>
              <strong>{ok ? texts.passed : texts.failed}</strong> <SafeText text={name} />
              {message !== null && (
                <>
                  {": "}
                  <SafeText text={message} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
