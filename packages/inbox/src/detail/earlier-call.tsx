import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { CallLink } from "../components/call-link.js";
import { useNow } from "../data/browser/use-now.js";
import { useMe } from "../data/people/use-me.js";
import { earlierCallText } from "../logic/wording/earlier-call.js";
import { words } from "../words/words.js";

/** Warns that the same call was made before, so that approving it runs it twice. */
export function EarlierCall({ approval: { earlier, status } }: { approval: Approval }) {
  const now = useNow();
  const me = useMe().data?.principal.id;
  if (!earlier) return null;
  return (
    <Banner
      tone={status === "pending" ? "warning" : "info"}
      title={earlierCallText(earlier, now, me)}
      actions={<CallLink id={earlier.approvalId}>{words.detail.viewCall}</CallLink>}
    >
      {status === "pending" && words.detail.runsAgain}
    </Banner>
  );
}
