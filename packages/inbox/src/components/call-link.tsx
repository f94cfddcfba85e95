import { type ReactNode, useContext } from "react";
import { Link } from "wouter";
import type { ApprovalStatus } from "../api/approval.js";
import { CardScope } from "../data/inbox/card-scope.js";
import { useInbox } from "../data/inbox/inbox-context.js";

interface CallLinkProps {
  id: string;
  /** Says in which list the call is. @default one of the history */
  status?: ApprovalStatus | undefined;
  children: ReactNode;
}

/** A link to another call, drawn as a button. In a card it leads to the inbox's own page. */
export function CallLink({ id, status, children }: CallLinkProps) {
  const { basePath } = useInbox().config;
  const inCard = useContext(CardScope) !== null;
  const isOpen = status === "pending" || status === "proposed";
  const path = `/${isOpen ? "approvals" : "history"}/${id}`;
  const look = { className: "cs-button", "data-tone": "quiet", children };
  return inCard ? <a {...look} href={basePath + path} /> : <Link {...look} href={path} />;
}
