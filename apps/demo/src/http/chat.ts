import { CountersignError, type Principal } from "countersign";
import { Hono } from "hono";
import { z } from "zod";
import { authenticate } from "../demo-principals.js";
import { EngineFailure } from "../engine/engine-failure.js";
import { limitBody, maxBodyBytes } from "./body-limits.js";
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

interface SignedIn {
  Variables: { requester: Principal };
}

export interface ChatDeps {
  openThread(thread: { threadId?: string; owner: Principal }): Promise<{ threadId: string }>;
  /**
   * Sends the message to the agent. Returns the id of its run, or `null` if the engine has not started one yet.
   *
   * @throws EngineFailure if the engine does not accept the message.
   */
  startRun(message: { threadId: string; message: string }): Promise<string | null>;
}

/** `POST /chat`: sends a message to the agent, in a new thread or in one of the caller's. */
export function chatRoute({ openThread, startRun }: ChatDeps): Hono<SignedIn> {
  const route = new Hono<SignedIn>();
  // Authenticate before reading the body.
  route.use("/chat", async (context, next) => {
    const requester = authenticate(context.req.raw);
    if (!requester) return unauthenticated();
    context.set("requester", requester);
    return next();
  });
  return route.post("/chat", limitBody(maxBodyBytes.chat), async (context) => {
    const body = chatBody.safeParse(await context.req.json().catch(() => undefined));
    if (!body.success) return invalidRequest(body.error);
    const { message, threadId: wanted } = body.data;
    try {
      const { threadId } = await openThread({
        owner: context.get("requester"),
        ...(wanted !== undefined && { threadId: wanted }),
      });
      const runId = await startRun({ threadId, message });
      return context.json({ threadId, runId }, 202);
    } catch (error) {
      if (error instanceof EngineFailure) {
        return problem(503, "The engine is not available", error.message, { code: "engine_unavailable" });
      }
      if (!CountersignError.isInstance(error)) throw error;
      return problem(error.status, error.message, error.message, { code: error.code });
    }
  });
}
