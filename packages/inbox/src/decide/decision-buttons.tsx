import { Menu } from "@base-ui/react/menu";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { MenuPopup } from "../components/menu-popup.js";
import { SafeText } from "../components/safe-text.js";
import { answerFormId } from "./answer-question.js";
import { useGrantChoice } from "./grant-choice.js";
import { approveLabel } from "./labels.js";
import type { Deciding } from "./use-decision.js";
import type { Editing } from "./use-editing.js";

interface DecisionButtonsProps {
  approval: Approval;
  editing: Editing;
  deciding: Deciding;
  onApprove: () => void;
}

/** What can be decided, by keys and buttons: what destroys at the left, what goes on at the right. */
export function DecisionButtons({ approval, editing, deciding, onApprove }: DecisionButtonsProps) {
  const { can, panel, setPanel, blocked, blockedApproval, sending } = deciding;
  const answering = can.answer && (approval.verdict === "manual" || panel === "answer");
  const [, chooseGrant] = useGrantChoice(approval.id);
  if (!can.approve && !can.deny && !can.answer) return null;
  const suggestions = can.approve && editing.changes.length === 0 ? (approval.grantSuggestions ?? []) : [];
  return (
    <div className="cs-decision-buttons">
      {can.deny && (
        <Button tone="danger" shortcut="D" blocked={blocked} onClick={() => setPanel("deny")}>
          Deny
        </Button>
      )}
      {can.decline && (
        <Button tone="danger" blocked={blocked} onClick={() => deciding.answer({ action: "decline" })}>
          Decline to answer
        </Button>
      )}
      <span className="cs-spacer" />
      {panel === "answer" && (
        <Button tone="quiet" shortcut="Esc" onClick={() => setPanel("none")}>
          Cancel
        </Button>
      )}
      {can.answer && !answering && (
        <Button blocked={blocked} onClick={() => setPanel("answer")}>
          Supply the result
        </Button>
      )}
      {answering && (
        <Button
          type="submit"
          form={answerFormId(approval)}
          tone="primary"
          blocked={blocked}
          aria-busy={sending}
        >
          {can.decline ? "Send answer" : "Send result"}
        </Button>
      )}
      {suggestions.length > 0 && (
        <Menu.Root>
          <Menu.Trigger className="cs-button" data-tone="plain">
            Always
            <Icon name="down" />
          </Menu.Trigger>
          <MenuPopup>
            <div className="cs-menu-note">Approve this, and from now on</div>
            {suggestions.map((suggestion) => (
              <Menu.Item
                key={suggestion.words}
                className="cs-menu-item"
                onClick={() => {
                  chooseGrant(suggestion);
                  setPanel("grant");
                }}
              >
                <SafeText text={suggestion.words} />
              </Menu.Item>
            ))}
          </MenuPopup>
        </Menu.Root>
      )}
      {can.approve && panel === "none" && (
        <Button tone="primary" shortcut="A" blocked={blockedApproval} aria-busy={sending} onClick={onApprove}>
          {approveLabel(approval, editing.changes.length)}
        </Button>
      )}
    </div>
  );
}
