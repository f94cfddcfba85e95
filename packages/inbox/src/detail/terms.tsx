import type { Approval } from "../api/approval.js";
import { useMe } from "../data/use-me.js";
import { QuorumProgress } from "./quorum-progress.js";

/** Why it is asked, who may decide, and how many are needed. */
export function Terms({ approval }: { approval: Approval }) {
  const me = useMe().data?.principal?.id;
  const { reason, approvers, quorum, verdict, duplicateOf } = approval;
  return (
    <dl className="cs-terms">
      {reason && (
        <div>
          <dt>Why it is asked</dt>
          <dd>{reason}</dd>
        </div>
      )}
      <div>
        <dt>Who may decide</dt>
        <dd>{approverWords(approvers)}</dd>
      </div>
      {verdict === "manual" && (
        <div>
          <dt>How it is done</dt>
          <dd>By a person, who writes down the result; the tool does not run</dd>
        </div>
      )}
      {(quorum > 1 || (approval.denials ?? 1) > 1) && (
        <div>
          <dt>How many</dt>
          <dd>
            <QuorumProgress approval={approval} me={me} />
          </dd>
        </div>
      )}
      {duplicateOf && (
        <div>
          <dt>Repeated</dt>
          <dd>The same call waits already; one decision is for both</dd>
        </div>
      )}
    </dl>
  );
}

function approverWords({ roles, ids }: Approval["approvers"]): string {
  if (roles.length === 0 && ids.length === 0) return "Everybody who is signed in";
  return [...roles.map((role) => `any ${role}`), ...ids].join(", ");
}
