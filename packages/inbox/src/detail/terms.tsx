import { overBudgetText } from "@countersign/policy/display";
import type { Approval } from "../api/approval.js";
import { FilledText } from "../components/filled-text.js";
import { SafeText } from "../components/safe-text.js";
import { useIsOver } from "../data/browser/use-now.js";
import { useMe } from "../data/people/use-me.js";
import { addedText, approversText } from "../logic/wording/rule-text.js";
import { askerOf, isQuestion } from "../logic/wording/sentence.js";
import { undoTerm } from "../logic/wording/undo-text.js";
import { words } from "../words/words.js";
import { QuorumProgress } from "./people/quorum-progress.js";

/** Why a person is asked, who the approvers are, and how many are needed. */
export function Terms({ approval }: { approval: Approval }) {
  const me = useMe().data?.principal.id;
  const question = isQuestion(approval);
  const undo = undoTerm(approval, useIsOver(approval.undo?.until ?? null));
  const { reason, reasons, approvers, quorum, verdict, duplicateOf, overBudget } = approval;
  const isNamedAbove = reasons.some(
    ({ adds }) => adds.approvers && approversText(adds.approvers) === approversText(approvers),
  );
  const texts = words.detail.terms;
  const why = question ? texts.whyAsked : texts.rules;
  return (
    <dl className="cs-terms">
      {(question ? reasons.length > 0 : reasons.length > 1) && (
        <div>
          <dt>{why}</dt>
          <dd>
            <ul className="cs-reason-list">
              {reasons.map((each, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two rules may have one name
                <li key={index}>
                  {each.reason === null ? (
                    <FilledText
                      text={texts.rule}
                      parts={{ rule: <code className="cs-mono">{each.rule}</code> }}
                    />
                  ) : (
                    <SafeText text={each.reason} />
                  )}
                  {addedText(each) && <small>{` → ${addedText(each)}`}</small>}
                </li>
              ))}
            </ul>
          </dd>
        </div>
      )}
      {question && reasons.length === 0 && reason && (
        <div>
          <dt>{why}</dt>
          <dd>
            <SafeText text={reason} />
          </dd>
        </div>
      )}
      {overBudget && (
        <div>
          <dt>{texts.budget}</dt>
          <dd>{overBudgetText(overBudget, words.display)}</dd>
        </div>
      )}
      {question && !isNamedAbove && (
        <div>
          <dt>{texts.whoAnswers}</dt>
          <dd>{approversText(approvers, texts.anyone)}</dd>
        </div>
      )}
      {verdict === "manual" && (
        <div>
          <dt>{question ? texts.whoGetsAnswer : texts.howItRuns}</dt>
          <dd>
            {question
              ? askerOf(approval)
              : approval.yourDecisions.includes("respond")
                ? texts.manualForYou
                : texts.manual}
          </dd>
        </div>
      )}
      {(quorum > 1 || approval.denials > 1) && (
        <div>
          <dt>{texts.votes}</dt>
          <dd>
            <QuorumProgress approval={approval} me={me} />
          </dd>
        </div>
      )}
      {undo !== undefined && (
        <div>
          <dt>{texts.undo}</dt>
          <dd>{undo}</dd>
        </div>
      )}
      {duplicateOf && (
        <div>
          <dt>{texts.duplicate}</dt>
          <dd>{texts.oneDecision}</dd>
        </div>
      )}
    </dl>
  );
}
