import type { Approval } from "../../api/approval.js";
import { quorumText } from "../../logic/wording/quorum-text.js";

/** The votes so far: "1 of 2 approved, lead still needed". */
export function QuorumProgress({ approval, me }: { approval: Approval; me: string | undefined }) {
  const approved = approval.votes.filter(({ type }) => type === "approve");
  return (
    <div className="cs-quorum">
      <span className="cs-quorum-steps" aria-hidden="true">
        {Array.from({ length: approval.quorum }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps of a count
          <i key={index} data-done={index < approved.length || undefined} />
        ))}
      </span>
      <span>{quorumText(approval, me)}</span>
    </div>
  );
}
