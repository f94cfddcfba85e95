import { CountersignError, type Principal } from "countersign";
import { Hono } from "hono";
import { z } from "zod";
import { authenticate } from "../demo-principals.js";
import { invalidRequest, problem, unauthenticated } from "./problem.js";

const chatBody = z.object(
  {
    message: z
      .string("must be a text")
      .max(20_000, "must have at most 20000 characters")
      .refine((text) => text.trim() !== "", "must not be empty"),
    threadId: z
      .string("must be a text")
      .min(1, "must not be empty")
      .max(200, "must have at most 200 characters")
      .optional(),
  },
  "must be a JSON object",
);

export interface ChatDeps {
  openThread(thread: { threadId?: string; owner: Principal }): Promise<{ threadId: string }>;
  /** Hands the message to the agent; the id of its run, or `null` while the engine has not started one. */
  startRun(message: { threadId: string; message: string }): Promise<string | null>;
}

/** `POST /chat`: says something to the desk's agent, in a new thread or in one of the caller's own. */
export function chatRoute({ openThread, startRun }: ChatDeps): Hono {
  return new Hono().post("/chat", async (context) => {
    const requester = authenticate(context.req.raw);
    if (!requester) return unauthenticated();
    const body = chatBody.safeParse(await context.req.json().catch(() => undefined));
    if (!body.success) return invalidRequest(body.error);
    const { message, threadId: wanted } = body.data;
    try {
      const { threadId } = await openThread({
        owner: requester,
        ...(wanted !== undefined && { threadId: wanted }),
      });
      const runId = await startRun({ threadId, message });
      return context.json({ threadId, runId }, 202);
    } catch (error) {
      if (!CountersignError.isInstance(error)) throw error;
      return problem(error.status, error.message, error.message, { code: error.code });
    }
  });
}
