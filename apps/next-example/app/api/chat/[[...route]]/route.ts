import { aiSdkChat } from "@countersign/chat/ai-sdk";
import { toNextHandlers } from "countersign/next";
import { countersign } from "../../../../lib/countersign";
import { inngest } from "../../../../lib/inngest";
import { principalOf } from "../../../../lib/session";
import { settings } from "../../../../lib/settings";
import { messageReceived } from "../../../../lib/support-function";

export const dynamic = "force-dynamic";

/** The server's side of `useChat`. */
export const { GET, POST } = toNextHandlers(
  aiSdkChat(countersign, {
    authenticate: principalOf,
    startRun: ({ id, threadId, text }) =>
      inngest.send({ id, name: messageReceived, data: { threadId, message: text } }),
    inboxUrl: `${settings.origin}/approvals`,
  }),
  { basePath: "/api/chat" },
);
