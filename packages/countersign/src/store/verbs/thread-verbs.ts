import type { ThreadPort } from "../ports/thread-port.js";
import type { Scopes } from "../scopes.js";
import { readConversation, readMessageBefore } from "../thread/conversation.js";
import * as thread from "../thread/thread.js";
import { callsOfEntries, hiddenInThread } from "../thread/thread-calls.js";
import { appendEntries, beginTurn } from "../thread/write-messages.js";

/** Keeps threads and their messages. */
export function threadVerbs({ inTenant, reading }: Scopes): ThreadPort {
  return {
    openThread: (input) => inTenant(input.tenantId, (tx) => thread.openThread(tx, input)),
    beginTurn: (turn) => inTenant(turn.tenantId, (tx) => beginTurn(tx, turn)),
    endThread: (tenantId, threadId, runId, status) =>
      inTenant(tenantId, (tx) => thread.endThread(tx, tenantId, threadId, runId, status)),
    getThread: (tenantId, threadId) =>
      reading.inTenant(tenantId, (tx) => thread.getThread(tx, tenantId, threadId)),
    listThreads: (filter) => reading.inTenant(filter.tenantId, (tx) => thread.listThreads(tx, filter)),
    pageOfThreads: (filter) => reading.inTenant(filter.tenantId, (tx) => thread.pageOfThreads(tx, filter)),
    waitingThreads: (tenantId, threadIds) =>
      reading.inTenant(tenantId, (tx) => thread.waitingThreads(tx, tenantId, threadIds)),
    appendEntries: (tenantId, threadId, entries) =>
      inTenant(tenantId, (tx) => appendEntries(tx, tenantId, threadId, entries)),
    readConversation: (filter) => reading.inTenant(filter.tenantId, (tx) => readConversation(tx, filter)),
    readMessageBefore: (tenantId, threadId, seq) =>
      reading.inTenant(tenantId, (tx) => readMessageBefore(tx, tenantId, threadId, seq)),
    callsOfEntries: (filter) => reading.inTenant(filter.tenantId, (tx) => callsOfEntries(tx, filter)),
    hiddenInThread: (tenantId, threadId) =>
      reading.inTenant(tenantId, (tx) => hiddenInThread(tx, tenantId, threadId)),
  };
}
