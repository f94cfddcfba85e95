import { type ReactNode, useState } from "react";
import { flushSync } from "react-dom";
import { Chat } from "./chat/chat.js";
import type { OpenCall } from "./chat/messages.js";
import { newConversationId, rememberedConversation } from "./conversation-id.js";
import { Desk } from "./desk/desk.js";
import { showCard } from "./desk/show-card.js";

type View = "ask" | "decide";

/** The demo's front page: a chat with the agent, and beside it the calls that wait for a person. */
export function FrontPage() {
  const [threadId, setThreadId] = useState(() => rememberedConversation() ?? newConversationId());
  const [view, setView] = useState<View>("ask");
  const [waiting, setWaiting] = useState(0);
  const [openCalls, setOpenCalls] = useState<readonly OpenCall[]>([]);
  const showApproval = (id: string) => {
    // In a narrow window, the column is hidden until the view changes, and a hidden element cannot be focused.
    flushSync(() => setView("decide"));
    showCard(id);
  };
  return (
    <div className="page" data-view={view}>
      <header className="page-head">
        <h1>Countersign</h1>
        <p>
          <strong>Your agent asks before it spends.</strong> Try it: ask for a refund on the left, decide on
          the right.
        </p>
        <a className="cs-button" data-tone="plain" href="/inbox">
          Open the inbox
        </a>
      </header>
      <nav className="page-views" aria-label="Views">
        <ViewButton view="ask" now={view} onView={setView}>
          Ask
        </ViewButton>
        <ViewButton view="decide" now={view} onView={setView}>
          Decide{waiting > 0 && ` (${waiting})`}
        </ViewButton>
        <a href="/inbox">Inbox</a>
      </nav>
      <main className="page-columns">
        <Chat
          key={threadId}
          threadId={threadId}
          onShowApproval={showApproval}
          onNewConversation={() => setThreadId(newConversationId())}
          onOpenCalls={setOpenCalls}
        />
        <Desk threadId={threadId} openCalls={openCalls} onWaiting={setWaiting} />
      </main>
    </div>
  );
}

interface ViewButtonProps {
  view: View;
  now: View;
  onView: (view: View) => void;
  children: ReactNode;
}

/** Switches between the columns in a narrow window. */
function ViewButton({ view, now, onView, children }: ViewButtonProps) {
  return (
    <button type="button" aria-pressed={view === now} onClick={() => onView(view)}>
      {children}
    </button>
  );
}
