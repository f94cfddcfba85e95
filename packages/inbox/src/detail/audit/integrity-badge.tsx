import { Popover } from "@base-ui/react/popover";
import { useState } from "react";
import type { AuditEntry } from "../../api/records.js";
import { Icon } from "../../components/icon.js";
import { useChain } from "../../data/approvals/use-audit.js";
import { useMe } from "../../data/people/use-me.js";
import type { HashCheck } from "../../logic/audit/entry-hashes.js";

const labels = { intact: "Verified", broken: "Verification failed", unknown: "Not verified" };

interface IntegrityBadgeProps {
  hashCheck: HashCheck;
  entries: readonly AuditEntry[];
}

/** Whether the hashes of the audit trail match, as a badge with an explanation. */
export function IntegrityBadge({ hashCheck, entries }: IntegrityBadgeProps) {
  const [open, setOpen] = useState(false);
  const auditor = useMe().data?.can.auditAll === true;
  const chain = useChain(open && auditor);
  const last = entries.at(-1);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className="cs-integrity" data-state={hashCheck.state}>
        <Icon name={hashCheck.state === "broken" ? "critical" : "shield"} />
        {labels[hashCheck.state]}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="cs-positioner" sideOffset={4} align="start">
          <Popover.Popup className="cs-popover">
            <Popover.Title className="cs-popover-title">{labels[hashCheck.state]}</Popover.Title>
            <Popover.Description className="cs-popover-words">{explanationOf(hashCheck)}</Popover.Description>
            {chain.data && (
              <p className="cs-popover-words">
                {chain.data.ok
                  ? `The server checked the whole audit log: all ${chain.data.entries.toLocaleString()} entries match their hashes.`
                  : `The server checked the whole audit log and found a problem at entry ${chain.data.position}: ${chain.data.message}`}
              </p>
            )}
            {last && (
              <p className="cs-popover-words">
                Last entry {last.position}, hash <code className="cs-mono">{last.hash.slice(0, 16)}…</code>
              </p>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function explanationOf(hashCheck: HashCheck): string {
  switch (hashCheck.state) {
    case "intact":
      return `Each entry has a hash of itself and of the entry before it. This browser recomputed the hashes of the ${hashCheck.entries} entries shown here, and all match.`;
    case "broken":
      return `Entry ${hashCheck.position} does not match its hash: it was changed after it was written. Contact your administrator.`;
    case "unknown":
      return "This browser computes hashes only over a secure connection, so it could not verify the entries.";
  }
}
