import { decidingTransport, threadApprovals, withApprovals } from "@countersign/chat/use-agent/client";
import { AgentProvider, DefaultHttpTransport, useAgents } from "@inngest/use-agent";
import { createApprovalsClient } from "countersign/client";
import { useEffect, useState, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";

/** The page's address says who is signed in, in which thread, and whether it uses the helper. */
const query = new URLSearchParams(location.search);
const person = query.get("as") ?? "";
const threadId = query.get("thread") ?? "";
const helped = query.get("helper") !== "no";

const approvals = threadApprovals(createApprovalsClient({ baseUrl: "/api", token: person }), threadId);
const plain = new DefaultHttpTransport({
  headers: { "content-type": "application/json", authorization: `Bearer ${person}` },
});
const transport = helped ? decidingTransport(plain, approvals) : plain;

interface Part {
  type: string;
  content?: string;
  toolCallId?: string;
  toolName?: string;
  state?: string;
  input?: unknown;
  output?: unknown;
  approval?: {
    status: string;
    decision: { decidedBy: string | null } | null;
    undo: { mayUndo: boolean; undoneAt: string | null } | null;
  };
}

const none: never[] = [];

function Chat() {
  const { messages, threads, sendMessage, approveToolCall, denyToolCall } = useAgents({
    userId: person,
    transport,
    initialThreadId: threadId,
    onEvent: approvals.onEvent,
  });
  const calls = useSyncExternalStore(
    helped ? approvals.subscribe : () => () => {},
    helped ? approvals.getSnapshot : () => none,
  );
  const [problem, setProblem] = useState("");
  useEffect(() => {
    // For what a hostile page does with the same hook.
    Object.assign(window, { approveToolCall, denyToolCall, approvals });
  }, [approveToolCall, denyToolCall]);
  const attempt = (action: Promise<unknown>) => action.catch((error: Error) => setProblem(error.message));
  return (
    <main>
      <ul aria-label="Threads">
        {threads.map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
      </ul>
      <p role="alert">{problem}</p>
      {withApprovals(messages, calls).map(({ id, role, parts }) => (
        <section key={id} aria-label={role}>
          {(parts as Part[]).map((part, index) =>
            part.type === "text" ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added
              <p key={index}>{part.content}</p>
            ) : (
              <article key={part.toolCallId} aria-label={part.toolName}>
                <p>{part.state}</p>
                <p>{part.approval?.status}</p>
                <p>{part.approval?.decision?.decidedBy}</p>
                <code>{JSON.stringify(part.input)}</code>
                <output>{JSON.stringify(part.output)}</output>
                {part.state === "awaiting-approval" || !helped ? (
                  <>
                    <button type="button" onClick={() => attempt(approveToolCall(part.toolCallId ?? ""))}>
                      Approve
                    </button>
                    <button
                      type="button"
                      onClick={() => attempt(denyToolCall(part.toolCallId ?? "", "No receipt"))}
                    >
                      Deny
                    </button>
                  </>
                ) : null}
                {part.approval?.undo?.undoneAt ? <p>undone</p> : null}
                {part.approval?.undo?.mayUndo ? (
                  <button
                    type="button"
                    onClick={() => attempt(approvals.undo(part.toolCallId ?? "", "wrong address"))}
                  >
                    Undo
                  </button>
                ) : null}
                {part.toolName === "request_human_input" && part.state === "input-available" ? (
                  <button
                    type="button"
                    onClick={() =>
                      attempt(
                        approvals.decide(part.toolCallId ?? "", {
                          type: "respond",
                          response: { action: "accept", content: { choice: "DHL" } },
                        }),
                      )
                    }
                  >
                    DHL
                  </button>
                ) : null}
              </article>
            ),
          )}
        </section>
      ))}
      <button type="button" onClick={() => attempt(sendMessage(query.get("say") ?? "Hello"))}>
        Send
      </button>
    </main>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <AgentProvider userId={person} transport={transport} debug={false}>
    <Chat />
  </AgentProvider>,
);
