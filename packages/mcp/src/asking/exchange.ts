import { answerForm } from "@countersign/policy/internal/questions/answer-form";
import * as z from "zod";

const question = z.object({
  key: z.string(),
  input: z.object({
    message: z.string(),
    server: z.string(),
    tool: z.string(),
    form: answerForm.optional(),
    url: z.string().optional(),
  }),
});

/** The result of one request to a server. This is a step's output. */
export const exchangeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), content: z.unknown() }),
  /** The model reads the message as the tool's error. */
  z.object({ kind: z.literal("failed"), message: z.string() }),
  /** Nothing was sent, so the same request may be sent again. */
  z.object({ kind: z.literal("unreachable") }),
  z.object({
    kind: z.literal("asks"),
    questions: z.array(question),
    /** The server's `requestState`, sealed. */
    sealedState: z.string().nullable(),
    resumes: z.enum(["request", "connection", "call"]),
  }),
]);

export type Exchange = z.infer<typeof exchangeSchema>;
/**
 * How the call continues after the answers: the same request with the answers (2026-07-28), an answer over the open
 * connection (2025 versions), or the same call again once all addresses were opened (error -32042 of 2025-11-25).
 */
export type Resumes = Asks["resumes"];
export type Asks = Extract<Exchange, { kind: "asks" }>;

/** A server's answer, before its state is sealed. */
export type ServerAnswer =
  | Exclude<Exchange, { kind: "asks" }>
  | {
      kind: "asks";
      requests: Record<string, unknown>;
      requestState: string | undefined;
      resumes: Resumes;
    };
