import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import ms, { type StringValue } from "ms";
import { z } from "zod";
import type { Approval } from "../approval/approval.js";
import type { People } from "../decision/people.js";
import type { Principal } from "../principal.js";
import type { ApiEnv } from "./api-env.js";
import type { ApprovalView } from "./approval-view.js";
import { parseOrRefuse } from "./problem.js";
import { text } from "./requests.js";

/** Largest body of these requests, in bytes. */
const maxBodyBytes = 64 * 1024;

const assignBody = z.strictObject({
  /** A principal's id; `null` takes the assignment back. */
  to: text.trim().min(1).max(200).nullable(),
});

const viewingBody = z.strictObject({ active: z.boolean() });

const extendBody = z.strictObject({
  by: text.max(50).transform((given, context) => {
    const value = given === "" ? undefined : ms(given as StringValue);
    if (typeof value === "number" && Number.isFinite(value)) return value;
    context.addIssue('must be a length of time, such as "10m"');
    return z.NEVER;
  }),
});

const resolutionBody = z.strictObject({
  outcome: z.enum(["done", "failed", "rerun"]),
  note: text.trim().min(1).max(2000).optional(),
});

/** `POST /approvals/:id/assign`, `/viewing`, `/extend` and `/resolution`. */
export function addPeopleRoutes(
  api: Hono<ApiEnv>,
  people: People,
  view: (approval: Approval, reader: Principal) => ApprovalView,
): void {
  const limited = bodyLimit({ maxSize: maxBodyBytes });
  const bodyOf = async <T extends z.ZodType>(c: Context<ApiEnv>, schema: T): Promise<z.output<T>> => {
    const json: unknown = await c.req.json().catch(() => undefined);
    return parseOrRefuse(schema, json, "body");
  };

  api.post("/approvals/:id/assign", limited, async (c) => {
    const { to } = await bodyOf(c, assignBody);
    const principal = c.get("principal");
    return c.json(view(await people.assign({ approvalId: c.req.param("id"), principal, to }), principal));
  });

  api.post("/approvals/:id/viewing", limited, async (c) => {
    const { active } = await bodyOf(c, viewingBody);
    const principal = c.get("principal");
    return c.json(view(await people.look({ approvalId: c.req.param("id"), principal, active }), principal));
  });

  api.post("/approvals/:id/extend", limited, async (c) => {
    const { by: byMs } = await bodyOf(c, extendBody);
    const principal = c.get("principal");
    return c.json(view(await people.extend({ approvalId: c.req.param("id"), principal, byMs }), principal));
  });

  api.post("/approvals/:id/resolution", limited, async (c) => {
    const { outcome, note = null } = await bodyOf(c, resolutionBody);
    const principal = c.get("principal");
    const approvalId = c.req.param("id");
    return c.json(view(await people.resolve({ approvalId, principal, outcome, note }), principal));
  });
}
