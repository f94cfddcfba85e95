import { Menu } from "@base-ui/react/menu";
import { useRef, useState } from "react";
import type { Approval } from "../../api/approval.js";
import { Button } from "../../components/button.js";
import { ErrorNotice } from "../../components/error-notice.js";
import { MenuPopup } from "../../components/menu-popup.js";
import { useSnooze } from "../../data/approvals/use-snooze.js";
import { useTakeBack } from "../../data/approvals/use-take-back.js";
import { useInbox } from "../../data/inbox/inbox-context.js";
import { MenuTrigger } from "../../decide/menu-trigger.js";
import { snoozeChoices } from "../../logic/lists/snooze-choices.js";
import { exactTime } from "../../logic/wording/exact-time.js";
import { words } from "../../words/words.js";

/** Puts the call aside until a time that the reader chooses, or brings it back. */
export function SnoozeMenu({ approval }: { approval: Approval }) {
  const { id, expiresAt, snoozedUntil } = approval;
  const { clock } = useInbox();
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const snooze = useSnooze(id);
  const bringBack = useTakeBack("endSnooze");
  const texts = words.detail.people;
  const choices = open ? snoozeChoices(expiresAt, clock.now()) : [];
  return (
    <>
      <Menu.Root open={open} onOpenChange={setOpen}>
        <MenuTrigger command="snooze" button={trigger}>
          {snoozedUntil === null
            ? texts.snooze
            : texts.snoozedUntil(exactTime(snoozedUntil, clock.now(), "minute"))}
        </MenuTrigger>
        <MenuPopup>
          {choices.map(({ until, text }) => (
            <Menu.Item key={until} className="cs-menu-item" onClick={() => snooze.mutate(until)}>
              {text}
            </Menu.Item>
          ))}
          {choices.length > 0 ? (
            <div className="cs-menu-note">{texts.snoozeNote}</div>
          ) : (
            <Menu.Item className="cs-menu-item" disabled>
              {texts.endsTooSoon}
            </Menu.Item>
          )}
        </MenuPopup>
      </Menu.Root>
      {snoozedUntil !== null && (
        <Button
          tone="quiet"
          onClick={() => {
            trigger.current?.focus();
            void bringBack([id], true);
          }}
        >
          {texts.bringBack}
        </Button>
      )}
      {snooze.isError && <ErrorNotice error={snooze.error} />}
    </>
  );
}
