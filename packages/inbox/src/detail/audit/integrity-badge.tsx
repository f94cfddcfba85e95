import { Popover } from "@base-ui/react/popover";
import { useState } from "react";
import type { AuditEntry } from "../../api/records.js";
import { Covers } from "../../components/covers.js";
import { FilledText } from "../../components/filled-text.js";
import { Icon } from "../../components/icon.js";
import { useChain } from "../../data/approvals/use-audit.js";
import { usePortal } from "../../data/inbox/host.js";
import { useMe } from "../../data/people/use-me.js";
import type { HashCheck } from "../../logic/audit/entry-hashes.js";
import { words } from "../../words/words.js";

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
  const texts = words.detail.records.integrity;
  const label = texts.states[hashCheck.state];
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className="cs-integrity" data-state={hashCheck.state}>
        <Icon name={hashCheck.state === "broken" ? "critical" : "shield"} />
        {label}
      </Popover.Trigger>
      <Popover.Portal {...usePortal()}>
        <Popover.Positioner className="cs-positioner" sideOffset={4} align="start">
          <Popover.Popup className="cs-popover">
            <Covers />
            <Popover.Title className="cs-popover-title">{label}</Popover.Title>
            <Popover.Description className="cs-popover-words">{explanationOf(hashCheck)}</Popover.Description>
            {chain.data && (
              <p className="cs-popover-words">
                {chain.data.ok
                  ? texts.logIntact(chain.data.entries)
                  : texts.logBroken(chain.data.position, chain.data.message)}
              </p>
            )}
            {last && (
              <p className="cs-popover-words">
                <FilledText
                  text={texts.last(last.position)}
                  parts={{ hash: <code className="cs-mono">{last.hash.slice(0, 16)}…</code> }}
                />
              </p>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function explanationOf(hashCheck: HashCheck): string {
  const texts = words.detail.records.integrity;
  switch (hashCheck.state) {
    case "intact":
      return texts.intact(hashCheck.entries);
    case "broken":
      return texts.broken(hashCheck.position);
    case "unknown":
      return texts.unknown;
  }
}
