import { Menu } from "@base-ui/react/menu";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { MenuPopup } from "../components/menu-popup.js";
import { SafeText } from "../components/safe-text.js";
import { newBudgetDraft } from "../logic/decisions/budget-draft.js";
import { kindOfCall } from "../logic/wording/call-name.js";
import { stopTitle } from "../logic/wording/stop-text.js";
import { suggestedGrantText } from "../logic/wording/suggested-grant-text.js";
import { words } from "../words/words.js";
import { MenuTrigger } from "./menu-trigger.js";
import type { Deciding } from "./use-decision.js";
import { useGrantChoice } from "./use-grant-choice.js";

interface AllowMenuProps {
  approval: Approval;
  deciding: Deciding;
}

/** What can be allowed for a while together with this approval. */
export function AllowMenu({ approval, deciding: { blockedApproval, setPanel } }: AllowMenuProps) {
  const [, chooseGrant] = useGrantChoice(approval.id);
  const { forAWhile, andFromNowOn, budgetFor } = words.decide.approve;
  const label = <span className="cs-in-room">{forAWhile}</span>;
  if (approval.stop) {
    return (
      <Button blocked={stopTitle(approval.stop)}>
        {label}
        <Icon name="down" />
      </Button>
    );
  }
  return (
    <Menu.Root>
      <MenuTrigger command="allow" tone="plain" possible={!blockedApproval}>
        {label}
      </MenuTrigger>
      <MenuPopup>
        <div className="cs-menu-note">{andFromNowOn}</div>
        {approval.grantSuggestions.map((suggestion) => (
          <Menu.Item
            key={suggestion.words}
            className="cs-menu-item"
            onClick={() => {
              chooseGrant(suggestion);
              setPanel("grant");
            }}
          >
            <SafeText text={suggestedGrantText(approval, suggestion)} />
          </Menu.Item>
        ))}
        {newBudgetDraft(approval) && (
          <Menu.Item className="cs-menu-item" onClick={() => setPanel("budget")}>
            {budgetFor(kindOfCall(approval))}
          </Menu.Item>
        )}
      </MenuPopup>
    </Menu.Root>
  );
}
