import type { Approval } from "../../api/approval.js";
import { Icon } from "../../components/icon.js";
import { SafeText } from "../../components/safe-text.js";

/** The safety checks as they were at the proposal, failed ones first. */
export function SafetyChecks({ approval: { checks, verdict } }: { approval: Approval }) {
  if (checks.length === 0) return null;
  const ordered = [...checks].sort((a, b) => Number(a.ok) - Number(b.ok));
  return (
    <div className="cs-checks">
      <h3>Safety checks</h3>
      <ul className="cs-values">
        {ordered.map(({ name, ok, message }) => (
          <li key={name} className="cs-check" data-ok={ok}>
            <Icon name={ok ? "check" : "high"} />
            <span>
              <strong>{ok ? "Passed" : "Failed"}</strong> <SafeText text={name} />
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
      {verdict !== "manual" && (
        <p className="cs-hint">
          Results from when the call was proposed. The checks run again right before it starts, and a failure
          then stops it.
        </p>
      )}
    </div>
  );
}
