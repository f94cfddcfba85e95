import { inQuotes } from "@countersign/policy/display";
import { useQuery } from "@tanstack/react-query";
import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { CallLink } from "../components/call-link.js";
import { FilledText } from "../components/filled-text.js";
import { SafeText } from "../components/safe-text.js";
import { Sentence } from "../components/sentence.js";
import { approvalQuery } from "../data/approvals/use-approval.js";
import { isRefusal } from "../data/inbox/create-query-client.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { words } from "../words/words.js";

/** Of an undo: which call it undoes, who asked for it, and why. */
export function Undoes({ approval: { undoes, undoRequest } }: { approval: Approval }) {
  const {
    data: call,
    error,
    isPending,
  } = useQuery({
    ...approvalQuery(useInbox(), undoes ?? ""),
    enabled: undoes !== null,
  });
  if (undoes === null) return null;
  const { askedBy, reason } = undoRequest ?? { askedBy: null, reason: null };
  const texts = words.detail.undoes;
  return (
    <Banner
      tone="info"
      icon="undo"
      title={askedBy === null ? texts.title : texts.askedBy(askedBy)}
      // Those who approve an undo may not be allowed to view the call.
      actions={
        !(isPending || isRefusal(error)) && (
          <CallLink id={undoes} status={call?.status}>
            {words.detail.viewCall}
          </CallLink>
        )
      }
    >
      {reason !== null && (
        <>
          <SafeText text={inQuotes(reason, words.display)} />.{" "}
        </>
      )}
      {call && <FilledText text={texts.call} parts={{ call: <Sentence approval={call} /> }} />}
    </Banner>
  );
}
