import { useContext } from "react";
import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { useNow } from "../data/browser/use-now.js";
import { CardScope } from "../data/inbox/card-scope.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { earlierCallText } from "../logic/wording/earlier-call.js";

/** Warns that the same call was made before, so that approving it runs it twice. */
export function EarlierCall({ approval: { earlier, status } }: { approval: Approval }) {
  const now = useNow();
  const { basePath } = useInbox().config;
  const inCard = useContext(CardScope) !== null;
  if (!earlier) return null;
  const path = `/history/${earlier.approvalId}`;
  const look = { className: "cs-button", "data-tone": "quiet", children: "View call" };
  return (
    <Banner
      tone={status === "pending" ? "warning" : "info"}
      title={earlierCallText(earlier, now)}
      actions={inCard ? <a {...look} href={basePath + path} /> : <Link {...look} href={path} />}
    >
      {status === "pending" && "If you approve this, it runs again."}
    </Banner>
  );
}
