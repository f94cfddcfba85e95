/**
 * A person's answer in the chat. `digest` is the one that the client was shown; `null` if the client did not return it.
 */
export type ChatAnswer = { approvalId: string; digest: string | null } & (
  | { kind: "approve"; reason: string | null }
  | { kind: "deny"; reason: string | null }
  | { kind: "edit"; input: unknown; reason: string | null }
  | { kind: "respond"; response: unknown }
);

/** The response of an answer as it is stored. */
export function responseJsonOf({ response }: Extract<ChatAnswer, { kind: "respond" }>): string {
  return JSON.stringify(response ?? null);
}
