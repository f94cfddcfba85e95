import { Menu } from "@base-ui/react/menu";
import { useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { MenuPopup } from "../components/menu-popup.js";
import { useMe } from "../data/use-me.js";
import { usePeople } from "../data/use-people.js";
import { usePeopleAction } from "../data/use-people-action.js";
import { Late } from "../late/late.js";
import { latePart } from "../late/late-part.js";

const PassOnDialog = latePart(() => import("./pass-on-dialog.js"));

const lengths = [
  { by: "10m", words: "10 more minutes" },
  { by: "1h", words: "1 more hour" },
  { by: "1d", words: "1 more day" },
];

/** Who else looks at it, who should decide it, and more time. */
export function TimeAndPeople({ approval }: { approval: Approval }) {
  const me = useMe().data?.principal?.id;
  const [passing, setPassing] = useState(false);
  const act = usePeopleAction(approval.id);
  const { status, viewers = [], assigneeId, extensionsLeft = 0, mayDecide } = approval;
  const others = viewers.filter(({ principalId }) => principalId !== me);
  const mine = me !== undefined && assigneeId === me;
  const isOthers = status === "pending" && typeof assigneeId === "string" && !mine;
  const { data: people = [] } = usePeople({ enabled: isOthers });
  if (status !== "pending") return null;
  const named = people.find(({ id }) => id === assigneeId)?.displayName;
  const assignee = mine ? "you" : (named ?? assigneeId);
  return (
    <div className="cs-people">
      {others.length > 0 && (
        <span className="cs-viewers">
          <Icon name="eye" />
          {others.map(({ displayName, principalId }) => displayName ?? principalId).join(", ")}{" "}
          {others.length === 1 ? "is" : "are"} looking at this too
        </span>
      )}
      {assignee && (
        <span>
          <Icon name="person" /> Given to {assignee}
        </span>
      )}
      {mayDecide !== false && assigneeId !== undefined && me && (
        <Button tone="quiet" onClick={() => act.mutate({ path: "assign", body: { to: mine ? null : me } })}>
          {mine ? "Give it back" : "Take it"}
        </Button>
      )}
      {mayDecide !== false && assigneeId !== undefined && (
        <Button tone="quiet" onClick={() => setPassing(true)}>
          Pass it on
        </Button>
      )}
      {mayDecide !== false && extensionsLeft > 0 && (
        <Menu.Root>
          <Menu.Trigger className="cs-button" data-tone="quiet">
            More time
            <Icon name="down" />
          </Menu.Trigger>
          <MenuPopup>
            {lengths.map(({ by, words }) => (
              <Menu.Item
                key={by}
                className="cs-menu-item"
                onClick={() => act.mutate({ path: "extend", body: { by } })}
              >
                {words}
              </Menu.Item>
            ))}
            <div className="cs-menu-note">
              {extensionsLeft === 1 ? "Possible once more" : `Possible ${extensionsLeft} more times`}
            </div>
          </MenuPopup>
        </Menu.Root>
      )}
      {act.isError && <ErrorNotice error={act.error} />}
      {passing && (
        <Late>
          <PassOnDialog approval={approval} onClose={() => setPassing(false)} />
        </Late>
      )}
    </div>
  );
}
