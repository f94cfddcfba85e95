import { Menu } from "@base-ui/react/menu";
import { useState } from "react";
import type { Approval } from "../../api/approval.js";
import { Button } from "../../components/button.js";
import { ErrorNotice } from "../../components/error-notice.js";
import { Icon } from "../../components/icon.js";
import { MenuPopup } from "../../components/menu-popup.js";
import { usePeopleAction } from "../../data/approvals/use-people-action.js";
import { useMe } from "../../data/people/use-me.js";
import { usePeople } from "../../data/people/use-people.js";
import { MenuTrigger } from "../../decide/menu-trigger.js";
import { useCommands } from "../../keyboard/use-commands.js";
import { LazyOverlay } from "../../lazy/lazy-overlay.js";
import { lazyPart } from "../../lazy/lazy-part.js";
import { words } from "../../words/words.js";
import { SnoozeMenu } from "./snooze-menu.js";

const AssignDialog = lazyPart(() => import("./assign-dialog.js"));

const lengths = ["10m", "1h", "1d"] as const;

/** Who else looks at a pending approval, and to whom it is assigned. */
export function People({ approval: { status, viewers, assigneeId } }: { approval: Approval }) {
  const me = useMe().data?.principal.id;
  const others = viewers.filter(({ principalId }) => principalId !== me);
  const mine = me !== undefined && assigneeId === me;
  const isOthers = status === "pending" && assigneeId !== null && !mine;
  const { data: people = [] } = usePeople({ enabled: isOthers });
  if (status !== "pending") return null;
  const named = people.find(({ id }) => id === assigneeId)?.displayName;
  const texts = words.detail.people;
  return (
    <>
      {others.length > 0 && (
        <span className="cs-viewers">
          <Icon name="eye" />
          {texts.viewing(others.map(({ displayName, principalId }) => displayName ?? principalId))}
        </span>
      )}
      {assigneeId && (
        <span>
          <Icon name="person" /> {mine ? texts.assignedToYou : texts.assignedTo(named ?? assigneeId)}
        </span>
      )}
    </>
  );
}

/** What a reader can do with a pending approval besides deciding: hand it on, put it aside, or give it more time. */
export function Actions({ approval }: { approval: Approval }) {
  const me = useMe().data?.principal.id;
  const [assigning, setAssigning] = useState(false);
  const act = usePeopleAction(approval.id);
  const { status, assigneeId, extensionsLeft, mayDecide, lists } = approval;
  const mine = me !== undefined && assigneeId === me;
  const canHandOn = status === "pending" && mayDecide;
  const assign = () => act.mutate({ assignTo: mine || me === undefined ? null : me });
  const reassign = () => setAssigning(true);
  useCommands({
    assign: canHandOn && me && !mine ? assign : undefined,
    reassign: canHandOn ? reassign : undefined,
  });
  if (status !== "pending") return null;
  const texts = words.detail.people;
  return (
    <div className="cs-actions">
      {mayDecide && me && (
        <Button tone="quiet" onClick={assign}>
          {mine ? texts.unassign : texts.assignToMe}
        </Button>
      )}
      {mayDecide && (
        <Button tone="quiet" onClick={reassign}>
          {texts.reassign}
        </Button>
      )}
      {(lists.includes("for_you") || lists.includes("snoozed")) && <SnoozeMenu approval={approval} />}
      {mayDecide && extensionsLeft > 0 && (
        <Menu.Root>
          <MenuTrigger command="extend">{texts.extend}</MenuTrigger>
          <MenuPopup>
            {lengths.map((by) => (
              <Menu.Item key={by} className="cs-menu-item" onClick={() => act.mutate({ extendBy: by })}>
                {texts.extendBy[by]}
              </Menu.Item>
            ))}
            <div className="cs-menu-note">{texts.extensionsLeft(extensionsLeft)}</div>
          </MenuPopup>
        </Menu.Root>
      )}
      {act.isError && <ErrorNotice error={act.error} />}
      {assigning && (
        <LazyOverlay>
          <AssignDialog approval={approval} onClose={() => setAssigning(false)} />
        </LazyOverlay>
      )}
    </div>
  );
}
