import {
  followThread,
  type ThreadApprovals,
  type ThreadApprovalsOptions,
  type ThreadClient,
} from "./thread-approvals.js";

export type { ApprovalView } from "countersign/client";
export { decidingTransport } from "./deciding-transport.js";
export {
  type ApprovalPart,
  isApprovableHere,
  type MessageLike,
  withApprovals,
} from "./messages.js";
export type {
  ChatDecision,
  ThreadApprovals,
  ThreadApprovalsOptions,
  ThreadClient,
} from "./thread-approvals.js";

/**
 * The gated calls of a thread, for what `useAgents` of `@inngest/use-agent` cannot do alone: show that a call waits,
 * also after a reload, and decide about the call that was shown. Needs no React.
 *
 * @example
 * ```ts
 * import { createApprovalsClient } from "countersign/client";
 * import { decidingTransport, threadApprovals, withApprovals } from "@countersign/chat/use-agent/client";
 *
 * interface Message { id: string; role: string; parts: unknown[]; timestamp: Date }
 *
 * export function connect<Transport extends object>(threadId: string, transport: Transport) {
 *   const approvals = threadApprovals(createApprovalsClient({ baseUrl: "/api" }), threadId);
 *   return {
 *     approvals,
 *     transport: decidingTransport(transport, approvals),
 *     show: (messages: Message[]) => withApprovals(messages, approvals.getSnapshot()),
 *   };
 * }
 * ```
 */
export function threadApprovals(
  client: ThreadClient,
  threadId: string,
  options?: ThreadApprovalsOptions,
): ThreadApprovals {
  return followThread(client, threadId, options);
}
