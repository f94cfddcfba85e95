import { type ComponentPropsWithoutRef, useContext } from "react";
import { Link } from "wouter";
import { PlaceContext } from "../data/inbox/host.js";
import { useInbox } from "../data/inbox/inbox-context.js";

interface InboxLinkProps extends ComponentPropsWithoutRef<"a"> {
  /** The address below that of the inbox. */
  href: string;
}

/** A link to another page of the inbox. From a single call in a host's page, it leads to the inbox's own page. */
export function InboxLink({ href, ...props }: InboxLinkProps) {
  const { basePath } = useInbox().config;
  const inInbox = useContext(PlaceContext).of === "inbox";
  return inInbox ? <Link {...props} href={href} /> : <a {...props} href={basePath + href} />;
}
