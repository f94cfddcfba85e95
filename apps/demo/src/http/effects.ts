import { Hono } from "hono";
import { authenticate } from "../demo-principals.js";
import type { Desk } from "../desk/desk.js";
import { unauthenticated } from "./problem.js";

/** `GET /demo/effects`: the effects of the tools, oldest first. */
export function effectsRoute(desk: Desk): Hono {
  return new Hono().get("/demo/effects", async (context) => {
    if (!authenticate(context.req.raw)) return unauthenticated();
    return context.json({ items: await desk.effects() });
  });
}
