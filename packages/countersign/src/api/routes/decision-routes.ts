import { CountersignError, errorTable } from "@countersign/policy/internal/shared/errors";
import type { Hono } from "hono";
import * as z from "zod";
import { changesBetween } from "../../decision/changes.js";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { problemOf } from "../problem.js";
import { serve } from "../serve.js";

/** Routes for single and bulk decisions, for checking an edit, and for undoing what ran. */
export function addDecisionRoutes(api: Hono<ApiEnv>, context: ApiContext): void {
  const { countersign, view, seesEverything } = context;

  serve(api, "decide", async ({ params, body }, c) => {
    const principal = c.get("principal");
    const approval = await countersign.decide({
      approvalId: params.id,
      principal,
      type: body.type,
      digest: body.digest,
      seesEverything: seesEverything(principal),
      reason: body.reason ?? null,
      ...(body.holdMs === undefined ? {} : { holdMs: body.holdMs }),
      ...(body.grant === undefined ? {} : { grant: body.grant }),
      ...(body.input === undefined ? {} : { input: body.input }),
      ...(body.response === undefined ? {} : { responseJson: JSON.stringify(body.response) }),
    });
    return view(approval, principal);
  });

  serve(api, "takeBack", async ({ params }, c) => {
    const principal = c.get("principal");
    return view(await countersign.takeBack({ approvalId: params.id, principal }), principal);
  });

  serve(api, "undo", async ({ params, body: { digest, reason = null } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.undo({ approvalId: params.id, principal, digest, reason }), principal);
  });

  serve(api, "undoMany", async ({ body: { items, reason = null } }, c) => {
    const principal = c.get("principal");
    const calls = items.map(({ id, digest }) => ({ approvalId: id, digest }));
    const undos = await countersign.undoMany({ calls, principal, reason });
    const results = undos.map((result) => {
      const id = result.approvalId;
      return result.ok
        ? { id, ok: true as const, approval: view(result.undo, principal) }
        : { id, ok: false as const, problem: problemOf(result.error, c.req.path) };
    });
    return { results };
  });

  serve(api, "decideMany", async ({ body }, c) => {
    const principal = c.get("principal");
    const results = [];
    // Sequential: decisions of one request lock the same row anyway.
    for (const { id, digest, type, reason = null, holdMs = 0 } of body.items) {
      try {
        const decided = await countersign.decide({ approvalId: id, principal, type, digest, reason, holdMs });
        results.push({ id, ok: true as const, approval: view(decided, principal) });
      } catch (error) {
        if (!CountersignError.isInstance(error) || errorTable[error.code].status >= 500) throw error;
        results.push({ id, ok: false as const, problem: problemOf(error, c.req.path) });
      }
    }
    return { results };
  });

  serve(api, "checkEdit", async ({ params, body }, c) => {
    const principal = c.get("principal");
    const approval = await context.read(c, params.id);
    try {
      const { inputJson } = await countersign.checkEdit({
        approval,
        principal,
        input: body.input,
        seesEverything: seesEverything(principal),
      });
      // Compare what the reader sees: hidden values stay hidden and count as changed only if they were edited.
      const before = view(approval, principal).input;
      const after = view({ ...approval, inputJson }, principal).input;
      return { ok: true as const, changes: changesBetween(before, after) };
    } catch (error) {
      if (!CountersignError.isInstance(error)) throw error;
      const errors = fieldErrors.safeParse(error.detail).data?.errors;
      return {
        ok: false as const,
        code: error.code,
        errors: errors ?? [{ field: "input", message: error.message }],
      };
    }
  });
}

const fieldErrors = z.object({ errors: z.array(z.object({ field: z.string(), message: z.string() })) });
