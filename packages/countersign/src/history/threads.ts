import { randomUUID } from "node:crypto";
import type { AgentResult, Message } from "@inngest/agent-kit";
import type { Approval } from "../approval/approval.js";
import { mayDecide } from "../approval/who-decides.js";
import { CountersignError } from "../errors.js";
import type { Principal } from "../principal.js";
import type { Runtime } from "../runtime.js";
import type { Thread, ThreadEntry } from "../store/store.js";
import { type MessageRedaction, messageRedaction } from "./redact-messages.js";

/** One message of a thread as people read it. */
export type ThreadMessage =
  | { role: "user"; content: string }
  | { role: "assistant"; agentName: string; content: string }
  | { role: "assistant"; agentName: string; toolCalls: { id: string; name: string; input: unknown }[] }
  | { role: "tool"; toolCallId: string; toolName: string; content: unknown };

export interface ThreadView {
  id: string;
  /** `waiting` while a call of the thread needs a person. */
  status: "running" | "waiting" | "done" | "failed";
  messages: ThreadMessage[];
  createdAt: Date;
  updatedAt: Date;
}

export interface Threads {
  /**
   * Opens a thread for a principal, a new one or one that is theirs.
   * @throws CountersignError `thread_not_found` for somebody else's, which looks like one that does not exist.
   */
  open(input: { threadId?: string; owner: Principal }): Promise<{ threadId: string }>;
  /**
   * The thread, for its owner and for who may decide a call of it. What is hidden in the calls is hidden here too,
   * unless you know that this reader may see everything.
   */
  read(threadId: string, reader: Principal, view?: { seesEverything: boolean }): Promise<ThreadView>;
  list(owner: Principal, limit?: number): Promise<Omit<ThreadView, "messages">[]>;
}

export function createThreads({ store, redactPatterns }: Runtime): Threads {
  const statusOf = async (thread: Thread): Promise<ThreadView["status"]> => {
    if (thread.status !== "running") return thread.status;
    const { tenantId, id: threadId } = thread;
    const open = await store.listApprovals({
      tenantId,
      threadId,
      statuses: ["proposed", "pending"],
      limit: 1,
    });
    return open.length > 0 ? "waiting" : "running";
  };
  const callsOf = async ({ tenantId, id: threadId }: Thread): Promise<Approval[]> => {
    const calls: Approval[] = [];
    for (;;) {
      const after = calls.at(-1);
      const page = await store.listApprovals({
        tenantId,
        threadId,
        limit: 200,
        ...(after ? { after: { at: after.createdAt, id: after.id } } : {}),
      });
      calls.push(...page);
      if (page.length < 200) return calls;
    }
  };
  const mayRead = async (thread: Thread, reader: Principal): Promise<boolean> => {
    if (thread.ownerId === reader.id) return true;
    const { tenantId, id: threadId } = thread;
    const calls = await store.listApprovals({ tenantId, threadId, visibleTo: reader, limit: 50 });
    return calls.some((call) => mayDecide(call, reader));
  };
  return {
    async open({ threadId, owner }) {
      const id = threadId ?? `thr_${randomUUID()}`;
      if (threadId !== undefined && !(await store.getThread(owner.tenantId, threadId)))
        throw notFound(threadId);
      const thread = await store.openThread({ tenantId: owner.tenantId, id, ownerId: owner.id, runId: null });
      if (!thread) throw notFound(id);
      return { threadId: id };
    },
    async read(threadId, reader, view = { seesEverything: false }) {
      const thread = await store.getThread(reader.tenantId, threadId);
      if (!thread || !(await mayRead(thread, reader))) throw notFound(threadId);
      const entries = await store.readEntries(reader.tenantId, threadId);
      const calls = view.seesEverything ? [] : await callsOf(thread);
      const redaction = messageRedaction(calls, redactPatterns, view);
      return {
        id: thread.id,
        status: await statusOf(thread),
        messages: entries.flatMap((entry) => messagesOf(entry, redaction, thread.ownerId === reader.id)),
        createdAt: thread.createdAt,
        updatedAt: thread.updatedAt,
      };
    },
    async list(owner, limit = 50) {
      const found = await store.listThreads({ tenantId: owner.tenantId, ownerId: owner.id, limit });
      return Promise.all(
        found.map(async (thread) => ({
          id: thread.id,
          status: await statusOf(thread),
          createdAt: thread.createdAt,
          updatedAt: thread.updatedAt,
        })),
      );
    },
  };
}

function messagesOf(entry: ThreadEntry, redaction: MessageRedaction, isOwner: boolean): ThreadMessage[] {
  if (entry.kind === "user") {
    const { content }: { content: string } = JSON.parse(entry.bodyJson);
    // Who wrote it knows it.
    return [{ role: "user", content: isOwner ? content : redaction.words(content) }];
  }
  const result: ReturnType<AgentResult["export"]> = JSON.parse(entry.bodyJson);
  const { agentName } = result;
  return [...result.output, ...result.toolCalls].map((message) => messageOf(message, agentName, redaction));
}

function messageOf(message: Message, agentName: string, redaction: MessageRedaction): ThreadMessage {
  switch (message.type) {
    case "text":
      return { role: "assistant", agentName, content: redaction.words(textOf(message.content)) };
    case "tool_call":
      return {
        role: "assistant",
        agentName,
        toolCalls: message.tools.map(({ id, name, input }) => ({
          id,
          name,
          input: redaction.input(id, input),
        })),
      };
    case "tool_result":
      return {
        role: "tool",
        toolCallId: message.tool.id,
        toolName: message.tool.name,
        content: redaction.result(message.tool.id, message.content),
      };
  }
}

function textOf(content: string | { text: string }[]): string {
  return typeof content === "string" ? content : content.map((part) => part.text).join("");
}

function notFound(threadId: string): CountersignError {
  return new CountersignError("thread_not_found", `There is no thread "${threadId}" that you may see`);
}
