import { Popover } from "@base-ui/react/popover";
import { useState } from "react";
import type { AuditEntry } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { useChain } from "../data/use-audit.js";
import { useMe } from "../data/use-me.js";
import type { Seal } from "../logic/audit-seal.js";

const labels = { intact: "Sealed", broken: "Seal broken", unknown: "Seal not checked" };

interface SealButtonProps {
  seal: Seal;
  entries: readonly AuditEntry[];
}

/** The state of the chain as a small seal that explains itself when pressed. */
export function SealButton({ seal, entries }: SealButtonProps) {
  const [open, setOpen] = useState(false);
  const auditor = useMe().data?.can?.auditAll === true;
  const chain = useChain(open && auditor);
  const last = entries.at(-1);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className="cs-seal" data-state={seal.state}>
        <Icon name={seal.state === "broken" ? "critical" : "seal"} />
        {labels[seal.state]}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="cs-positioner" sideOffset={4} align="start">
          <Popover.Popup className="cs-popover">
            <Popover.Title className="cs-popover-title">{labels[seal.state]}</Popover.Title>
            <Popover.Description className="cs-popover-words">{sealWords(seal)}</Popover.Description>
            {chain.data && (
              <p className="cs-popover-words">
                {chain.data.ok
                  ? `The server checked the whole log: all ${chain.data.entries.toLocaleString()} entries are as they were written.`
                  : `The server checked the whole log and found something wrong at entry ${chain.data.position}: ${chain.data.message}`}
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

function sealWords(seal: Seal): string {
  switch (seal.state) {
    case "intact":
      return `Each entry carries a hash of itself and of the entry before it. The ${seal.entries} entries shown here were computed again in this browser, and all fit.`;
    case "broken":
      return `Entry ${seal.position} does not fit its hash: it is not what was written. Tell whoever runs this server.`;
    case "unknown":
      return "This browser computes hashes only over a secure connection, so the entries were not checked here.";
  }
}
