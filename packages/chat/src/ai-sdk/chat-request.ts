import * as z from "zod";
import type { ChatAnswer } from "../turn/chat-answer.js";

/** The fields of a part that the server reads. It never uses input and output of tools that come from the client. */
const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  toolCallId: z.string().optional(),
  state: z.string().optional(),
  approval: z.unknown().optional(),
  output: z.unknown().optional(),
  toolMetadata: z.unknown().optional(),
});

const message = z.looseObject({
  id: z.string().min(1).max(200),
  role: z.enum(["user", "assistant", "system"]),
  parts: z.array(part).max(2000),
});

/** The body that `DefaultChatTransport` posts. */
export const chatRequest = z.looseObject({
  id: z
    .string("must be the chat's id")
    .regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 printable ASCII characters without spaces"),
  messages: z.array(z.unknown()).min(1, "must hold the message"),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
});

const approvalIds = z.array(z.string().max(200)).max(200).default([]);

/** The approvals that the client of `GET /:id/decided` shows as waiting for its user, and those that people may undo. */
export const decidedQuery = z
  .object({ approval: approvalIds, undoable: approvalIds })
  .refine(({ approval, undoable }) => approval.length + undoable.length > 0, {
    path: ["approval"],
    message: "must name an approval",
  });
export type DecidedQuery = z.infer<typeof decidedQuery>;

/** Only the last message is used: the server has the others itself. */
export const lastMessage = message;
export type LastMessage = z.infer<typeof message>;

const approvalResponse = z.looseObject({
  id: z.string(),
  approved: z.boolean(),
  reason: z.string().optional(),
  descriptor: z.looseObject({ digest: z.string() }).optional().catch(undefined),
});

const questionMetadata = z.looseObject({
  countersign: z.looseObject({ approvalId: z.string(), digest: z.string() }),
});

export function userText({ parts }: LastMessage): string {
  return parts.flatMap(({ type, text }) => (type === "text" && text ? text : [])).join("\n");
}

/** The answers in an assistant's message. Parts with another shape are ignored. */
export function answersIn({ parts }: LastMessage): ChatAnswer[] {
  return parts.flatMap((one) => answerIn(one) ?? []);
}

function answerIn(one: LastMessage["parts"][number]): ChatAnswer | undefined {
  if (one.state === "approval-responded") {
    const parsed = approvalResponse.safeParse(one.approval);
    if (!parsed.success) return undefined;
    const { id, approved, reason, descriptor } = parsed.data;
    const digest = descriptor?.digest ?? null;
    return { kind: approved ? "approve" : "deny", approvalId: id, digest, reason: reason || null };
  }
  if (one.state === "output-available" && one.type === questionPart) {
    const parsed = questionMetadata.safeParse(one.toolMetadata);
    if (!parsed.success) return undefined;
    const { approvalId, digest } = parsed.data.countersign;
    return { kind: "respond", approvalId, digest, response: one.output };
  }
  return undefined;
}

/** The type of a part that asks a person. */
const questionPart = "tool-request_human_input";

/** The parts of the message that the client already shows, so that they are not sent again. */
export interface Shown {
  texts: string[];
  /** The state of each tool part. */
  calls: Map<string, string>;
  /** The calls of its last step. */
  lastStep: string[];
}

/** A call that looks answered, but without an answer that the server can read, still waits for one. */
function shownState(one: LastMessage["parts"][number], state: string): string {
  const looksAnswered =
    state === "approval-responded" || (state === "output-available" && one.type === questionPart);
  return looksAnswered && !answerIn(one) ? "input-available" : state;
}

export function shownByClient({ parts }: LastMessage): Shown {
  const lastStep = parts.slice(parts.findLastIndex(({ type }) => type === "step-start") + 1);
  return {
    texts: parts.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])),
    calls: new Map(
      parts.flatMap((one) =>
        one.toolCallId && one.state ? [[one.toolCallId, shownState(one, one.state)] as const] : [],
      ),
    ),
    lastStep: lastStep.flatMap(({ toolCallId }) => toolCallId ?? []),
  };
}
