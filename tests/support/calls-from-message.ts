import type { Conversation, Reply } from "countersign/testing";

/** A model that does as it is told: a user's message is the JSON of the calls that it makes. */
export function callsFromMessage({ messages }: Conversation): Reply {
  const last = messages.at(-1);
  return last?.role === "user" ? { toolCalls: JSON.parse(last.text) } : { text: "Done." };
}

/** What to say to that model. */
export function callsOf(...calls: { name: string; input: unknown }[]): string {
  return JSON.stringify(calls);
}
