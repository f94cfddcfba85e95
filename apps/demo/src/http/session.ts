import type { Principal } from "countersign";
import { type CookieSession, verifyOrigin } from "countersign/auth";
import { Hono } from "hono";
import { z } from "zod";
import { limitBody, maxBodyBytes } from "./body-limits.js";
import { invalidRequest, problem } from "./problem.js";

const sessionBody = z.object({ token: z.string("must be a text").min(1, "must not be empty") });

export interface SessionDeps {
  session: Pick<CookieSession, "signIn" | "signOut">;
  /** The principal with this token, or `null`. */
  personWith(token: string): Principal | null;
}

/** `POST /session` exchanges a token for a session cookie. `DELETE /session` signs this browser out. */
export function sessionRoute({ session, personWith }: SessionDeps): Hono {
  const route = new Hono();
  route.use("/session", async (context, next) => {
    if (verifyOrigin(context.req.raw)) return next();
    return problem(403, "Not from here", "Sign in on a page of this demo.", { code: "foreign_origin" });
  });
  route.post("/session", limitBody(maxBodyBytes.session), async (context) => {
    const body = sessionBody.safeParse(await context.req.json().catch(() => undefined));
    if (!body.success) return invalidRequest(body.error);
    const person = personWith(body.data.token);
    if (!person)
      return problem(401, "Unknown token", "This token is not valid.", { code: "unauthenticated" });
    return signed(await session.signIn(person, context.req.raw));
  });
  route.delete("/session", (context) => signed(session.signOut(context.req.raw)));
  return route;
}

function signed(cookie: string): Response {
  return new Response(null, { status: 204, headers: { "set-cookie": cookie, "cache-control": "no-store" } });
}
