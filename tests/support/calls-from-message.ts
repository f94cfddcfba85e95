import type { Conversation, Reply } from "@countersign/testing";

/** The reply of a model that makes the calls that a user's message holds as JSON. */
export function callsFromMessage({ messages }: Conversation): Reply {
  const last = messages.at(-1);
  return last?.role === "user" ? { toolCalls: JSON.parse(last.text) } : { text: "Done." };
}

/** The user message that makes that model call these tools. */
export function callsOf(...calls: { name: string; input: unknown }[]): string {
  return JSON.stringify(calls);
}
