import { useChat } from "@ai-sdk/react";
import { onDecidedElsewhere } from "@countersign/chat/ai-sdk/client";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { useCallback, useEffect, useState } from "react";
import { rememberedConversation } from "../conversation-id.js";
import { requesterToken } from "../identities.js";
import { isConnectionLost } from "./error-text.js";
import type { DeskMessage } from "./messages.js";

/** Pause before the chat connects again, in milliseconds. */
const retryMs = 2000;

const chatUrl = "/api/ai/chat";
/** The chat always belongs to the requester, whoever is signed in to the inbox in this browser. */
const request = { headers: { authorization: `Bearer ${requesterToken}` }, credentials: "omit" } as const;
const transport = new DefaultChatTransport<DeskMessage>({ api: chatUrl, ...request });

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
      setMessages(await storedMessages(threadId));
      setLoadError(null);
      clearError();
      setIsLoading(false);
      await resumeStream();
    } catch (error) {
      setLoadError(error);
      setIsLoading(false);
    }
  }, [threadId, setMessages, resumeStream, clearError]);
  useEffect(() => {
    if (rememberedConversation() === threadId) void reload();
  }, [threadId, reload]);

  useEffect(() => {
    if (status !== "ready") return undefined;
    return onDecidedElsewhere({ api: chatUrl, id: threadId, messages, request }, resumeStream);
  }, [status, threadId, messages, resumeStream]);

  const error = loadError ?? chat.error;
  useEffect(() => {
    if (!isConnectionLost(error)) return undefined;
    const timer = setTimeout(() => void reload(), retryMs);
    return () => clearTimeout(timer);
  }, [error, reload]);

  return { ...chat, error, isLoading, reload };
}

async function storedMessages(threadId: string): Promise<DeskMessage[]> {
  const response = await fetch(`${chatUrl}/${threadId}`, request);
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}
