import { createHash } from "node:crypto";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { changesBetween } from "../decision/changes.js";
import { CountersignError, errorTable } from "../errors.js";
import type { Principal } from "../principal.js";
import type { ApiContext } from "./api-context.js";
import type { ApiEnv } from "./api-env.js";
import { problemOf, refusedField } from "./problem.js";
import { serve } from "./serve.js";

/** Decisions one by one and in bulk, and the dry run of an edit. */
export function addDecisionRoutes(api: Hono<ApiEnv>, context: ApiContext): void {
  const { countersign, view, seesEverything } = context;

  serve(api, "decide", async ({ params, body }, c) => {
    const principal = c.get("principal");
    await noteKey(context, c, principal, [params.id, body]);
    const approval = await countersign.decide({
      approvalId: params.id,
      principal,
      type: body.type,
      digest: body.digest,
      seesEverything: seesEverything(principal),
      reason: body.reason ?? null,
      ...(body.grant === undefined ? {} : { grant: body.grant }),
      ...(body.input === undefined ? {} : { input: body.input }),
      ...(body.response === undefined ? {} : { responseJson: JSON.stringify(body.response) }),
    });
    return view(approval, principal);
  });

  serve(api, "decideMany", async ({ body }, c) => {
    const principal = c.get("principal");
    await noteKey(context, c, principal, body);
    const results = [];
    // One after the other: the calls of one request take turns anyway.
    for (const { id, digest, type, reason = null } of body.items) {
      try {
        const decided = await countersign.decide({ approvalId: id, principal, type, digest, reason });
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
      const { inputJson } = countersign.checkEdit({
        approval,
        principal,
        input: body.input,
        seesEverything: seesEverything(principal),
      });
      // Both as the reader sees them: what is hidden stays so, and changes only where it was changed.
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

const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,200}$/);

/**
 * Holds an `Idempotency-Key` to one request. What is asked again with it is done again, and decisions are such that this
 * changes nothing and gives the same answer; something else under the same key is refused.
 */
async function noteKey(
  { store }: ApiContext,
  c: Context<ApiEnv>,
  principal: Principal,
  request: unknown,
): Promise<void> {
  const given = c.req.header("idempotency-key");
  if (given === undefined) return;
  const key = idempotencyKey.safeParse(given);
  if (!key.success) {
    throw refusedField("Idempotency-Key", "must be 1 to 200 printable ASCII characters");
  }
  const requestHash = createHash("sha256").update(JSON.stringify(request)).digest("hex");
  const { tenantId, id: principalId } = principal;
  if (await store.noteIdempotencyKey({ tenantId, principalId, key: key.data, requestHash })) return;
  throw new CountersignError(
    "idempotency_key_reused",
    "Idempotency-Key: this key was used for another request. Nothing was decided; send it with a key of its own",
  );
}
