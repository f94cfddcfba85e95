import type { ReactNode } from "react";
import type { ApprovalStatus } from "../api/approval.js";
import { InboxLink } from "./inbox-link.js";

interface CallLinkProps {
  id: string;
  /** Says in which list the call is. @default one of the history */
  status?: ApprovalStatus | undefined;
  children: ReactNode;
}

/** A link to another call, drawn as a button. */
export function CallLink({ id, status, children }: CallLinkProps) {
  const isOpen = status === "pending" || status === "proposed";
  return (
    <InboxLink className="cs-button" data-tone="quiet" href={`/${isOpen ? "approvals" : "history"}/${id}`}>
      {children}
    </InboxLink>
  );
}
