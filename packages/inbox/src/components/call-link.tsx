import { type ReactNode, useContext } from "react";
import { Link } from "wouter";
import type { ApprovalStatus } from "../api/approval.js";
import { PlaceContext } from "../data/inbox/host.js";
import { useInbox } from "../data/inbox/inbox-context.js";

interface CallLinkProps {
  id: string;
  /** Says in which list the call is. @default one of the history */
  status?: ApprovalStatus | undefined;
  children: ReactNode;
}

/** A link to another call, drawn as a button. Outside of the inbox it leads to the inbox's own page. */
export function CallLink({ id, status, children }: CallLinkProps) {
  const { basePath } = useInbox().config;
  const inInbox = useContext(PlaceContext).of === "inbox";
  const isOpen = status === "pending" || status === "proposed";
  const path = `/${isOpen ? "approvals" : "history"}/${id}`;
  const look = { className: "cs-button", "data-tone": "quiet", children };
  return inInbox ? <Link {...look} href={path} /> : <a {...look} href={basePath + path} />;
}
