import { Link } from "wouter";
import type { Grant } from "../api/records.js";
import { Button } from "../components/button.js";
import { CountdownRing } from "../components/countdown-ring.js";
import { FilledText } from "../components/filled-text.js";
import { SafeText } from "../components/safe-text.js";
import { grantText } from "../logic/wording/grant-text.js";
import { words } from "../words/words.js";

interface GrantCardProps {
  grant: Grant;
  onRevoke: () => void;
}

/** One grant: what it allows, for whom, and until when. */
export function GrantCard({ grant, onRevoke }: GrantCardProps) {
  const { covers, uses, budget, state } = grantText(grant);
  return (
    <article className="cs-grant" data-status={grant.status}>
      <div>
        <h2>
          <SafeText text={grant.summary} />
        </h2>
        <p>
          {covers}
          {typeof grant.arguments === "object" && (
            <>
              :{" "}
              <code className="cs-mono">
                <SafeText text={grant.arguments.when} />
              </code>
            </>
          )}
        </p>
        <p className="cs-grant-facts">
          {grant.status === "live" ? (
            <CountdownRing from={grant.createdAt} until={grant.expiresAt} />
          ) : (
            <span>{state}</span>
          )}
          <span>{uses}</span>
          {budget && <span>{budget}</span>}
          <span>
            <FilledText
              text={words.grants.grantedBy}
              parts={{
                who: grant.grantedBy,
                approval: (
                  <Link href={`/history/${grant.approvalId}`}>{words.grants.thisApproval(grant.label)}</Link>
                ),
              }}
            />
          </span>
        </p>
      </div>
      {grant.mayRevoke && grant.status === "live" && (
        <Button tone="danger" onClick={onRevoke}>
          {words.grants.revoke}
        </Button>
      )}
    </article>
  );
}
