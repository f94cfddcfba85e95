import * as z from "zod";
import type { ChatAnswer } from "../turn/chat-answer.js";

const id = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 printable ASCII characters without spaces");

const message = z.looseObject({
  id: z.string(),
  role: z.string(),
  content: z.unknown().optional(),
  toolCalls: z.array(z.looseObject({ id: z.string() })).optional(),
  toolCallId: z.string().optional(),
});

const resumeEntry = z.looseObject({
  interruptId: z.string(),
  status: z.enum(["resolved", "cancelled"]),
  payload: z.unknown().optional(),
});

/** The part of AG-UI's `RunAgentInput` that is read. State, tools and context of the client are ignored. */
export const runAgentInput = z.looseObject({
  threadId: id,
  runId: id,
  messages: z.array(message).max(10_000),
  resume: z.array(resumeEntry).max(200).optional(),
});
export type RunAgentInput = z.infer<typeof runAgentInput>;

/** The text of a user's message. Of a list of parts, only the texts are used. */
export function textOf({ content }: RunAgentInput["messages"][number]): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part: unknown) =>
      typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
        ? part.text
        : [],
    )
    .join("\n");
}

/** An interrupt's id carries the digest of the call that was shown, so that the answer returns it unchanged. */
export function interruptId(approvalId: string, digest: string): string {
  return `${approvalId}.${digest}`;
}

const verdict = z.looseObject({
  approved: z.boolean(),
  reason: z.string().optional(),
  editedArguments: z.unknown().optional(),
});

/** The answers of a resumed run. A cancelled interrupt decides nothing, and its call continues to wait. */
export function answersOf({ resume = [] }: RunAgentInput): ChatAnswer[] {
  return resume.flatMap(({ interruptId, status, payload }): ChatAnswer[] => {
    if (status !== "resolved") return [];
    const [approvalId = "", digest = null] = interruptId.split(".");
    const parsed = verdict.safeParse(payload);
    if (!parsed.success) return [{ kind: "respond", approvalId, digest, response: payload }];
    const { approved, reason = null, editedArguments } = parsed.data;
    if (!approved) return [{ kind: "deny", approvalId, digest, reason }];
    return editedArguments === undefined
      ? [{ kind: "approve", approvalId, digest, reason }]
      : [{ kind: "edit", approvalId, digest, reason, input: editedArguments }];
  });
}

/** The ids of the messages, calls and results that the client already shows. */
export function shownByClient({ messages }: RunAgentInput): ReadonlySet<string> {
  return new Set(
    messages.flatMap((one) => [
      one.id,
      ...(one.toolCalls ?? []).map((call) => call.id),
      ...(one.toolCallId ? [`${one.toolCallId}:result`] : []),
    ]),
  );
}
