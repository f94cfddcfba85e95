import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { useOpenedAddress } from "../data/approvals/use-opened-address.js";
import { words } from "../words/words.js";
import { AllowMenu } from "./allow-menu.js";
import { answerFormId, answerQuestion } from "./answer-question.js";
import { approveLabel } from "./labels.js";
import { unreviewedNoteId } from "./unreviewed-note.js";
import type { Deciding } from "./use-decision.js";
import type { Editing } from "./use-editing.js";

interface DecisionButtonsProps {
  approval: Approval;
  editing: Editing;
  deciding: Deciding;
  /** Whether the buttons have stayed in their place for a moment. */
  settled: boolean;
  /** How long the approve button fills after a key that came too early, in milliseconds. `undefined` if it is full. */
  filling: number | undefined;
  wasEarly: boolean;
  onApprove: () => void;
  onApproveByKey: () => void;
}

/** The decision buttons: deny on the left, approve on the right. */
export function DecisionButtons({
  approval,
  editing,
  deciding,
  settled,
  filling,
  wasEarly,
  onApprove,
  onApproveByKey,
}: DecisionButtonsProps) {
  const { can, panel, setPanel, blocked, blockedApproval, sending } = deciding;
  const answering = can.answer && (approval.verdict === "manual" || panel === "answer");
  const { address } = answerQuestion(approval);
  const [opened] = useOpenedAddress(approval.id, address);
  const { answer: answerTexts, approve: approveTexts, address: addressTexts } = words.decide;
  const notOpened = address && !opened ? addressTexts.openFirst : undefined;
  if (!can.approve && !can.deny && !can.answer) return null;
  return (
    <div className="cs-decision-buttons">
      {can.deny && (
        <Button
          tone={deciding.voted ? "plain" : "danger"}
          command={editing.on ? undefined : "deny"}
          data-opens="deny"
          blocked={blocked}
          onClick={() => setPanel("deny")}
        >
          {deciding.voted ? words.decide.deny.instead : words.decide.deny.title}
        </Button>
      )}
      {can.decline && (
        <Button tone="danger" data-opens="decline" blocked={blocked} onClick={() => setPanel("decline")}>
          {answerTexts.decline}
        </Button>
      )}
      {/* Always rendered, so that screen readers announce changes. */}
      <span className="cs-spacer cs-early" role="status">
        {wasEarly && panel === "none" && (filling === undefined ? approveTexts.again : approveTexts.notYet)}
      </span>
      {panel === "answer" && (
        <Button tone="quiet" command="cancel" onClick={() => setPanel("none")}>
          {words.common.cancel}
        </Button>
      )}
      {can.answer && !answering && (
        <Button data-opens="answer" blocked={blocked} onClick={() => setPanel("answer")}>
          {answerTexts.enterResult}
        </Button>
      )}
      {answering && (
        <Button
          type="submit"
          form={answerFormId(approval)}
          tone="primary"
          blocked={blocked ?? notOpened}
          aria-busy={sending}
        >
          {!can.decline ? answerTexts.sendResult : address ? addressTexts.confirm : answerTexts.send}
        </Button>
      )}
      {can.approve && editing.changes.length === 0 && approval.grantSuggestions.length > 0 && (
        <AllowMenu approval={approval} deciding={deciding} />
      )}
      {can.approve && panel === "none" && (
        <Button
          tone="primary"
          command={editing.on ? "approveChanges" : "approve"}
          data-opens="approve"
          blocked={blockedApproval ?? (settled && filling === undefined ? undefined : words.decide.soon)}
          arming={filling}
          data-settling={(!settled && !blockedApproval) || undefined}
          aria-busy={sending}
          aria-describedby={unreviewedNoteId(approval)}
          // A click of the keyboard counts no presses of a pointer.
          onClick={({ detail }) => (detail === 0 ? onApproveByKey() : onApprove())}
        >
          {approveLabel(approval, editing.changes.length)}
        </Button>
      )}
    </div>
  );
}
