import { randomUUID } from "node:crypto";
import { aiSdkChat } from "@countersign/chat/ai-sdk";
import { freshPostgres } from "../databases.js";
import { deskTools } from "../desk-tools.js";
import { openHarness, principals } from "../harness.js";
import type { HarnessOptions } from "../harness-options.js";
import { listenOn } from "../http/listen-on.js";
import { headlessChat } from "./headless-chat.js";

type ChattingDeskOptions = Omit<HarnessOptions, "database" | "tools">;

/** An installation whose agent the requester speaks to in chats of the AI SDK. */
export async function openChattingDesk(options: ChattingDeskOptions) {
  const database = await freshPostgres();
  const { tools, effects } = deskTools();
  const harness = await openHarness({ ...options, tools, database });
  const chats = aiSdkChat(harness.countersign, {
    authenticate: (request) =>
      principals[request.headers.get("authorization")?.replace("Bearer ", "") ?? ""] ?? null,
    startRun: ({ threadId, text }) =>
      harness.inngest.send({ name: "harness/message", data: { threadId, message: text } }),
  });
  const server = await listenOn(async (request) => chats.fetch(request));
  return {
    harness,
    effects,
    /** A chat of the requester, or the same one again after a reload. */
    open: (id: string = randomUUID()) => ({
      id,
      ...headlessChat({ api: server.url, token: "requester", id }),
    }),
    async [Symbol.asyncDispose]() {
      server.close();
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
