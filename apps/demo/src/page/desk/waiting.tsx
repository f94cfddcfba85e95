import { type Approval, ApprovalCard, useApprovals } from "@countersign/inbox";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { OpenCall } from "../chat/messages.js";
import { deciders } from "../identities.js";
import { showCard } from "./show-card.js";
import { Steps } from "./steps.js";

interface WaitingProps {
  threadId: string;
  openCalls: readonly OpenCall[];
  /** The token of the person who decides. */
  person: string;
  onPerson: (token: string) => void;
  onWaiting: (count: number) => void;
}

/** The conversation's calls that people decide: those that wait, oldest first, and below them the decided ones, folded. */
export function Waiting({ threadId, openCalls, person, onPerson, onWaiting }: WaitingProps) {
  const { approvals, isLoading, error, reload } = useApprovals(threadId);
  const shown = approvals.filter(wasAsked);
  const waiting = shown.filter(isWaiting);
  const decided = shown.filter((approval) => !isWaiting(approval)).reverse();
  // What was decided last is shown until the next call waits, so that its outcome is.
  const entries = [...waiting, ...decided];
  const elsewhere = openCalls.filter(({ approvalId }) => approvals.every(({ id }) => id !== approvalId));
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => onWaiting(waiting.length), [waiting.length, onWaiting]);
  useInView(list, waiting[0]?.id);
  useNextFocus(list, waiting);
  return (
    <>
      <p className="cs-visually-hidden" role="status">
        {waiting.length === 1
          ? "1 call waits for a decision"
          : waiting.length > 1
            ? `${waiting.length} calls wait for decisions`
            : ""}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
      <section ref={list} className="cards" aria-label="Calls of this conversation" tabIndex={0}>
        {error && (
          <div className="chat-error" role="alert">
            <p>The calls could not be loaded.</p>
            <button type="button" className="cs-button" data-tone="plain" onClick={() => void reload()}>
              Try again
            </button>
          </div>
        )}
        {!isLoading && elsewhere.length > 0 && (
          <SomebodyElse calls={elsewhere} person={person} onPerson={onPerson} />
        )}
        {!isLoading && waiting.length + decided.length + elsewhere.length === 0 && <Steps />}
        {entries.map((approval, index) =>
          isWaiting(approval) || index === 0 ? (
            <div key={approval.id}>
              <ApprovalCard id={approval.id} />
              {isWaiting(approval) && <OtherPerson approval={approval} person={person} onPerson={onPerson} />}
            </div>
          ) : (
            <Decided key={approval.id} approval={approval} />
          ),
        )}
      </section>
    </>
  );
}

/** A decided call as one line, which opens into its card. */
function Decided({ approval }: { approval: Approval }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="decided" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{approval.summary}</span>
        <small>{approval.status === "executed" ? "ran" : approval.status}</small>
      </summary>
      {isOpen && <ApprovalCard id={approval.id} />}
    </details>
  );
}

function isWaiting({ status }: Approval): boolean {
  return status === "pending" || status === "proposed";
}

interface OtherPersonProps {
  approval: Approval;
  person: string;
  onPerson: (token: string) => void;
}

interface SomebodyElseProps {
  calls: readonly OpenCall[];
  person: string;
  onPerson: (token: string) => void;
}

/** Names calls of the conversation that this person may not see, and offers to go on as somebody who decides them. */
function SomebodyElse({ calls, person, onPerson }: SomebodyElseProps) {
  const able = ({ token, roles }: (typeof deciders)[number]) =>
    token !== person && calls.some(({ approvers }) => roles.some((role) => approvers.roles.includes(role)));
  const other = deciders.find(able);
  if (!other) return null;
  return (
    <p className="other-person">
      {calls.length === 1 ? "1 more waits" : `${calls.length} more wait`} for {other.name}.{" "}
      <button type="button" className="cs-button" data-tone="plain" onClick={() => onPerson(other.token)}>
        Decide as {other.name}
      </button>
    </p>
  );
}

/** Offers to go on as somebody else whom the call needs, once this person can do no more. */
function OtherPerson({ approval, person, onPerson }: OtherPersonProps) {
  if (approval.held || approval.lists.includes("for_you")) return null;
  const { stillNeeded, approvers } = approval;
  const wanted = stillNeeded.roles.length > 0 ? stillNeeded.roles : approvers.roles;
  const own = deciders.find(({ token }) => token === person)?.roles ?? [];
  const able = deciders.filter(
    ({ token, roles }) => token !== person && roles.some((role) => wanted.includes(role)),
  );
  // Rather a second role than a second person of the same role.
  const other = able.find(({ roles }) => !roles.some((role) => own.includes(role))) ?? able[0];
  if (!other || (approval.mayDecide && approval.votes.length === 0)) return null;
  return (
    <p className="other-person">
      {other.name} is needed.{" "}
      <button type="button" className="cs-button" data-tone="plain" onClick={() => onPerson(other.token)}>
        Decide as {other.name}
      </button>
    </p>
  );
}

/** Whether people were asked. False if the policy alone decided. */
function wasAsked({ announcedAt, verdict }: Approval): boolean {
  return announcedAt !== null && (verdict === "ask" || verdict === "manual");
}

/** Scrolls to the next pending call, unless the reader is using another one. */
function useInView(list: RefObject<HTMLElement | null>, id: string | undefined): void {
  useEffect(() => {
    const { current } = list;
    if (!current || id === undefined || current.matches(":focus-within, :hover")) return;
    const card = current.querySelector<HTMLElement>(`[data-approval="${CSS.escape(id)}"]`);
    if (card) current.scrollTop = card.offsetTop - current.offsetTop - 16;
  }, [list, id]);
}

/** Moves the focus from a call that was decided, and is folded now, to the next one that waits. */
function useNextFocus(list: RefObject<HTMLElement | null>, waiting: readonly Approval[]): void {
  const focused = useRef<string>(undefined);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      const isHere = target instanceof Element && list.current?.contains(target);
      const card = isHere ? target.closest<HTMLElement>("[data-approval]") : null;
      focused.current = card?.dataset.approval;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, [list]);
  const [next] = waiting;
  useEffect(() => {
    const left = focused.current;
    if (!next || left === undefined || document.activeElement !== document.body) return;
    if (waiting.every(({ id }) => id !== left)) showCard(next.id);
  }, [waiting, next]);
}
