import { type Approval, ApprovalCard, useApprovals } from "@countersign/inbox";
import { type RefObject, useEffect, useRef } from "react";

interface WaitingProps {
  threadId: string;
  onWaiting: (count: number) => void;
}

/** The conversation's calls that people decide, oldest first, including those that are decided. */
export function Waiting({ threadId, onWaiting }: WaitingProps) {
  const { approvals, isLoading, error, reload } = useApprovals(threadId);
  const shown = approvals.filter(wasAsked);
  const count = shown.filter(({ status }) => status === "pending").length;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => onWaiting(count), [count, onWaiting]);
  useInView(list, shown.find(({ status }) => status === "pending")?.id);
  return (
    <>
      <p className="cs-visually-hidden" role="status">
        {count === 1 ? "1 call waits for a decision" : count > 1 ? `${count} calls wait for decisions` : ""}
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
        {!isLoading && shown.length === 0 && (
          <div className="nothing">
            <p>Nothing waits for you.</p>
            <p>When the agent proposes a call that the policy gates, it appears here with its arguments.</p>
          </div>
        )}
        {shown.map(({ id }) => (
          <ApprovalCard key={id} id={id} />
        ))}
      </section>
    </>
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
