import { useContext } from "react";
import type { Approval } from "../api/approval.js";
import { HostContext } from "../data/inbox/host.js";
import { Slot } from "./slot.js";

/** What the host's page shows beside a call. */
export function Aside({ approval }: { approval: Approval }) {
  const { aside } = useContext(HostContext);
  return aside ? <Slot className="cs-aside" render={() => aside(approval)} /> : null;
}
