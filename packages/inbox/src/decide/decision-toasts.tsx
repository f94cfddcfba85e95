import { Toast } from "@base-ui/react/toast";
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { Kbd } from "../components/kbd.js";
import { RequestedValues } from "../components/requested-values.js";
import { Sentence } from "../components/sentence.js";
import { useTakeBack } from "../data/approvals/use-take-back.js";
import { useKeyHint } from "../data/browser/use-key-hint.js";
import { useNow } from "../data/browser/use-now.js";
import { usePortal } from "../data/inbox/host.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { useCommands } from "../keyboard/use-commands.js";
import { actsByKey } from "../logic/keyboard/commands.js";
import { durationText } from "../logic/wording/countdown.js";
import { errorMessage } from "../logic/wording/error-message.js";
import { toastTitle } from "../logic/wording/held-text.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";

/** How long a message stays, unless a decision is held for longer, in milliseconds. */
const shownMs = 6_000;
/** The most messages at once. `U` also takes back what is behind them. */
const limit = 3;

/** What the reader has just decided or put aside. What has not taken effect yet can be taken back here. */
export default function DecisionToasts() {
  return (
    <Toast.Provider limit={limit} timeout={shownMs}>
      <Toasts />
    </Toast.Provider>
  );
}

function Toasts() {
  const { ownDecisions, notices } = useInbox();
  const decided = useValue(ownDecisions);
  const problems = useValue(notices);
  const { toasts, add, close } = Toast.useToastManager<{ approval?: Approval }>();
  const takeBackDecision = useTakeBack();
  const bringBack = useTakeBack("endSnooze");
  const takeBack = ({ id, snoozedUntil }: Approval) =>
    void (snoozedUntil === null ? takeBackDecision(id) : bringBack(id));
  const shown = useRef<readonly Approval[]>([]);
  useEffect(() => {
    const before = shown.current;
    shown.current = decided;
    for (const { id } of before) if (decided.every((other) => other.id !== id)) close(id);
    for (const approval of decided) {
      if (before.includes(approval)) continue;
      const { id, held } = approval;
      add({
        id,
        // A held one is closed at the end of its time, also while the reader looks elsewhere.
        timeout: held ? 0 : shownMs,
        data: { approval },
        onClose: () => ownDecisions.set((all) => all.filter((other) => other !== approval)),
      });
    }
  }, [decided, ownDecisions, add, close]);
  useEffect(() => {
    for (const { id, error } of problems) {
      const { title, advice } = errorMessage(error);
      add({ id, title, description: advice, priority: "high", timeout: shownMs });
    }
    if (problems.length > 0) notices.set([]);
  }, [problems, notices, add]);
  const now = useNow();
  useEffect(() => {
    const over = decided.filter(({ held }) => held && Date.parse(held.until) <= now);
    if (over.length > 0) ownDecisions.set((all) => all.filter((other) => !over.includes(other)));
  }, [decided, ownDecisions, now]);
  const latest = decided.findLast(canTakeBack);
  useCommands({ takeBack: latest && (() => takeBack(latest)) });
  return (
    <Toast.Portal {...usePortal()}>
      <Toast.Viewport className="cs-toasts" aria-label={words.decide.toasts.title}>
        {toasts.map((toast) => {
          const { approval } = toast.data ?? {};
          return (
            <Toast.Root key={toast.id} toast={toast} className="cs-toast">
              <Toast.Content className="cs-toast-content">
                {approval ? (
                  <Decided
                    approval={approval}
                    isLatest={approval === latest}
                    onTakeBack={() => takeBack(approval)}
                  />
                ) : (
                  <div className="cs-toast-words">
                    <Toast.Title render={<strong />} />
                    <Toast.Description render={<span />} />
                  </div>
                )}
              </Toast.Content>
            </Toast.Root>
          );
        })}
      </Toast.Viewport>
    </Toast.Portal>
  );
}

/** A decision that is held, a snooze, or a vote while the call waits for others. */
function canTakeBack({ status }: Approval): boolean {
  return status === "pending";
}

interface DecidedProps {
  approval: Approval;
  isLatest: boolean;
  onTakeBack: () => void;
}

function Decided({ approval, isLatest, onTakeBack }: DecidedProps) {
  const possible = useValue(useInbox().offered).map(({ id }) => id);
  const key = useKeyHint(isLatest && actsByKey("takeBack", possible) ? "takeBack" : undefined);
  const { id, held } = approval;
  return (
    <>
      <Icon name="check" />
      <div className="cs-toast-words">
        <Toast.Title render={<strong />}>{toastTitle(approval)}</Toast.Title>
        {held && <TimeLeft until={held.until} />}
        <Toast.Description render={<span title={sentenceOf(approval)} />}>
          <Sentence approval={approval} /> <RequestedValues approval={approval} />
        </Toast.Description>
      </div>
      {canTakeBack(approval) ? (
        <Toast.Action
          className="cs-button"
          data-tone="plain"
          aria-keyshortcuts={key.aria}
          onClick={onTakeBack}
        >
          {approval.snoozedUntil === null ? words.decide.takeBack : words.decide.toasts.undo}
          {key.text && <Kbd>{key.text}</Kbd>}
        </Toast.Action>
      ) : (
        <Link className="cs-button" data-tone="quiet" href={`/history/${id}`}>
          {words.decide.toasts.view}
        </Link>
      )}
    </>
  );
}

/** Hidden from screen readers, which would read each second. */
function TimeLeft({ until }: { until: string }) {
  const leftMs = Date.parse(until) - useNow();
  return (
    <small aria-hidden="true">{words.decide.toasts.takesEffect(durationText(Math.max(0, leftMs)))}</small>
  );
}
