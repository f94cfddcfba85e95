import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from "ai-6";
import { eventually } from "../harness.js";

/** What `useChat` keeps in React's state. */
function plainState(messages: UIMessage[]): ChatState<UIMessage> {
  return {
    status: "ready",
    error: undefined,
    messages,
    pushMessage(message) {
      this.messages = [...this.messages, message];
    },
    popMessage() {
      this.messages = this.messages.slice(0, -1);
    },
    replaceMessage(index, message) {
      this.messages = this.messages.map((one, place) => (place === index ? structuredClone(message) : one));
    },
    snapshot: (value) => structuredClone(value),
  };
}

class PlainChat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    super({ ...init, state: plainState(messages) });
  }
}

export interface HeadlessChatOptions {
  /** The chat endpoint. */
  api: string;
  token: string;
  id: string;
  messages?: UIMessage[];
}

/** The AI SDK's own chat, configured as an app with `useChat` configures it, without a browser. */
export function headlessChat({ api, token, id, messages }: HeadlessChatOptions) {
  const errors: Error[] = [];
  const posted: unknown[] = [];
  const chat = new PlainChat({
    id,
    ...(messages && { messages }),
    transport: new DefaultChatTransport({
      api,
      headers: { authorization: `Bearer ${token}` },
      fetch: async (url, init) => {
        if (typeof init?.body === "string") posted.push(JSON.parse(init.body));
        return fetch(url, init);
      },
    }),
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      lastAssistantMessageIsCompleteWithToolCalls(options),
    onError: (error) => errors.push(error),
  });
  const toolParts = () =>
    (chat.lastMessage?.parts ?? []).flatMap((part) => ("toolCallId" in part ? [part] : []));
  return {
    chat,
    errors,
    posted,
    toolParts,
    /** The texts of the last message. */
    text: () =>
      (chat.lastMessage?.parts ?? []).flatMap((part) => (part.type === "text" ? part.text : [])).join("\n"),
    /** The cards of the last message, the newest state of each. */
    cards: () =>
      (chat.lastMessage?.parts ?? []).flatMap((part) => (part.type === "data-countersign" ? [part] : [])) as {
        id: string;
        data: Record<string, unknown>;
      }[],
    /** The part of a call, once it is in a state. */
    async toolIn(state: string, toolName = "issue_refund") {
      return eventually(
        async () => toolParts().find((part) => part.state === state && part.type === `tool-${toolName}`),
        `${toolName} in ${state}`,
      );
    },
    async ready() {
      await eventually(() => chat.status === "ready" || undefined, "the chat to be ready");
    },
  };
}
