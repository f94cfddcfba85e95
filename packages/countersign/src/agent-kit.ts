export type { AgentLike, NetworkLike } from "./agentkit/agent-kit-shapes.js";
export type { Publish, StreamChunk } from "./agentkit/streaming/stream-events.js";
export type { Streaming } from "./agentkit/streaming/streaming.js";
export { needsApproval } from "./call/tool/needs-approval.js";
export type {
  ContextInput,
  Countersign,
  CountersignOptions,
  ProfileBinding,
} from "./instance/agent-kit-countersign.js";
export { createCountersign } from "./instance/create-for-agent-kit.js";
export type { CountersignHistory, HistoryContext, NewUserMessage } from "./instance/network-history.js";
