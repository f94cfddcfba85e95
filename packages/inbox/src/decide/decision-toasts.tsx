import { Toast } from "@base-ui/react/toast";
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { Icon } from "../components/icon.js";
import { Kbd } from "../components/kbd.js";
import { RequestedValues } from "../components/requested-values.js";
import { Sentence } from "../components/sentence.js";
import { useTakeBack } from "../data/approvals/use-take-back.js";
import { useKeyHint } from "../data/browser/use-key-hint.js";
import { useNow } from "../data/browser/use-now.js";
import { usePortal } from "../data/inbox/host.js";
import { type OwnDecision, useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { useMe } from "../data/people/use-me.js";
import { useCommands } from "../keyboard/use-commands.js";
import { actsByKey } from "../logic/keyboard/commands.js";
import { decidedTogether } from "../logic/lists/batch-plan.js";
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
  const { toasts, add, close } = Toast.useToastManager<{ own?: OwnDecision }>();
  const takeBackDecision = useTakeBack();
  const bringBack = useTakeBack("endSnooze");
  const takeBack = (own: OwnDecision) => {
    const take = isSnooze(own) ? bringBack : takeBackDecision;
    void take(waiting(own).map(({ id }) => id));
  };
  const shown = useRef<readonly OwnDecision[]>([]);
  useEffect(() => {
    const before = shown.current;
    shown.current = decided;
    for (const { id } of before) if (decided.every((other) => other.id !== id)) close(id);
    for (const own of decided) {
      if (before.includes(own)) continue;
      add({
        id: own.id,
        // A held one is closed at the end of its time, also while the reader looks elsewhere.
        timeout: heldUntil(own) === undefined ? shownMs : 0,
        data: { own },
        onClose: () => ownDecisions.set((all) => all.filter((other) => other !== own)),
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
    const over = decided.filter((own) => Date.parse(heldUntil(own) ?? "") <= now);
    if (over.length > 0) ownDecisions.set((all) => all.filter((other) => !over.includes(other)));
  }, [decided, ownDecisions, now]);
  const latest = decided.findLast(canTakeBack);
  useCommands({ takeBack: latest && (() => takeBack(latest)) });
  return (
    <Toast.Portal {...usePortal()}>
      <Toast.Viewport className="cs-toasts" aria-label={words.decide.toasts.title}>
        {toasts.map((toast) => {
          const { own } = toast.data ?? {};
          return (
            <Toast.Root key={toast.id} toast={toast} className="cs-toast">
              <Toast.Content className="cs-toast-content">
                {own ? (
                  <Decided own={own} isLatest={own === latest} onTakeBack={() => takeBack(own)} />
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

/** What can be taken back: decisions that are held, a snooze, and votes while the call waits for others. */
function waiting({ approvals }: OwnDecision) {
  return approvals.filter(({ status }) => status === "pending");
}

function canTakeBack(own: OwnDecision): boolean {
  return waiting(own).length > 0;
}

function isSnooze({ approvals }: OwnDecision): boolean {
  return approvals.some(({ snoozedUntil }) => snoozedUntil !== null);
}

/** When the first of some held decisions takes effect. */
function heldUntil({ approvals }: OwnDecision): string | undefined {
  return approvals.flatMap(({ held }) => held?.until ?? []).toSorted()[0];
}

interface DecidedProps {
  own: OwnDecision;
  isLatest: boolean;
  onTakeBack: () => void;
}

function Decided({ own, isLatest, onTakeBack }: DecidedProps) {
  const possible = useValue(useInbox().offered).map(({ id }) => id);
  const key = useKeyHint(isLatest && actsByKey("takeBack", possible) ? "takeBack" : undefined);
  const [approval, ...others] = own.approvals;
  const until = heldUntil(own);
  const { takeBack, toasts } = words.decide;
  const me = useMe().data?.principal.id;
  if (!approval) return null;
  return (
    <>
      <Icon name="check" />
      <div className="cs-toast-words">
        <Toast.Title render={<strong />}>
          {others.length > 0 ? decidedTogether(own.approvals) : toastTitle(approval, me)}
        </Toast.Title>
        {until !== undefined && <TimeLeft until={until} />}
        {others.length === 0 && (
          <Toast.Description render={<span title={sentenceOf(approval)} />}>
            <Sentence approval={approval} /> <RequestedValues approval={approval} />
          </Toast.Description>
        )}
      </div>
      {canTakeBack(own) ? (
        <Toast.Action
          className="cs-button"
          data-tone="plain"
          aria-keyshortcuts={key.aria}
          onClick={onTakeBack}
        >
          {isSnooze(own) ? toasts.undo : others.length > 0 ? toasts.takeAllBack : takeBack}
          {key.text && <Kbd>{key.text}</Kbd>}
        </Toast.Action>
      ) : (
        others.length === 0 && (
          <Link className="cs-button" data-tone="quiet" href={`/history/${approval.id}`}>
            {toasts.view}
          </Link>
        )
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
