import type { Approval } from "../api/approval.js";
import { quorumWords } from "../logic/quorum-words.js";

/** How far the approvals of several people are: "1 of 2, lead still needed". */
export function QuorumProgress({ approval, me }: { approval: Approval; me: string | undefined }) {
  const approved = approval.votes?.filter(({ type = "approve" }) => type === "approve") ?? [];
  return (
    <div className="cs-quorum">
      <span className="cs-quorum-steps" aria-hidden="true">
        {Array.from({ length: approval.quorum }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps of a count
          <i key={index} data-done={index < approved.length || undefined} />
        ))}
      </span>
      <span>{quorumWords(approval, me)}</span>
    </div>
  );
}
