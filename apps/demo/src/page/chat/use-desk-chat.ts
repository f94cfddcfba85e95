import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { createApprovalsClient } from "countersign/client";
import { useCallback, useEffect, useState } from "react";
import { rememberedConversation } from "../conversation-id.js";
import { fetchWithoutCookies, requesterToken } from "../identities.js";
import { isConnectionLost } from "./error-words.js";
import { loadConversation } from "./load-conversation.js";
import { type DeskMessage, unansweredApprovals } from "./messages.js";

/** Pause before the chat connects again, in milliseconds. */
const retryMs = 2000;

const transport = new DefaultChatTransport<DeskMessage>({
  api: "/api/ai/chat",
  headers: { authorization: `Bearer ${requesterToken}` },
  // The chat always belongs to the requester, whoever is signed in to the inbox in this browser.
  credentials: "omit",
});
const api = createApprovalsClient({ baseUrl: "/api", token: requesterToken, fetch: fetchWithoutCookies });

/** The AI SDK's chat as the requester, with the conversation so far. */
export function useDeskChat(threadId: string) {
  const chat = useChat<DeskMessage>({
    id: threadId,
    transport,
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      lastAssistantMessageIsCompleteWithToolCalls(options),
  });
  const { setMessages, resumeStream, clearError, messages, status } = chat;
  const [isLoading, setIsLoading] = useState(() => rememberedConversation() === threadId);
  const [loadError, setLoadError] = useState<unknown>(null);

  const reload = useCallback(async () => {
    try {
      const stored = await loadConversation(api, threadId);
      setMessages(stored.messages);
      setLoadError(null);
      clearError();
      setIsLoading(false);
      if (stored.isRunning) await resumeStream();
    } catch (error) {
      setLoadError(error);
      setIsLoading(false);
    }
  }, [threadId, setMessages, resumeStream, clearError]);
  useEffect(() => {
    if (rememberedConversation() === threadId) void reload();
  }, [threadId, reload]);

  // While the chat waits for its reader, it has no stream, and somebody else may answer the call first.
  const unanswered = status === "ready" ? unansweredApprovals(messages).join(" ") : "";
  useEffect(() => {
    if (unanswered === "") return undefined;
    const controller = new AbortController();
    void reloadWhenDecided(unanswered.split(" "), controller.signal, reload);
    return () => controller.abort();
  }, [unanswered, reload]);

  const error = loadError ?? chat.error;
  useEffect(() => {
    if (!isConnectionLost(error)) return undefined;
    const timer = setTimeout(() => void reload(), retryMs);
    return () => clearTimeout(timer);
  }, [error, reload]);

  return { ...chat, error, isLoading, reload };
}

async function reloadWhenDecided(ids: string[], signal: AbortSignal, reload: () => Promise<void>) {
  try {
    for await (const { event } of api.followEvents({ signal })) {
      if (event !== "hello" && event !== "change") continue;
      const approvals = await Promise.all(ids.map((id) => api.getApproval({ id, signal })));
      if (approvals.every(({ status }) => status === "pending")) continue;
      if (!signal.aborted) await reload();
      return;
    }
  } catch {
    // Aborted, or the connection broke. If the call was decided meanwhile, the API refuses the answer with its current
    // state.
  }
}
