import { Hono } from "hono";
import * as z from "zod";
import type { Core } from "../core.js";
import { checkpointSteps } from "../executor/checkpoint.js";
import type { InFlight } from "../executor/loop/in-flight.js";
import { decodeQueueItemId } from "../protocol/identifiers.js";
import { opcodeSchema } from "../protocol/opcodes.js";
import { describeIssue, readJson, refuse } from "./api-error.js";
import { limitBody, MAX_BODY_BYTES } from "./body-limits.js";

const checkpointSchema = z.object({
  run_id: z.string(),
  qi_id: z.string(),
  request_id: z.string().optional(),
  generation_id: z.number().optional(),
  steps: z.array(opcodeSchema),
});

/** `POST /v1/checkpoint/{runId}/async`: memoizes steps while the request that ran them continues. */
export function checkpointRoutes(core: Core, inFlight: InFlight): Hono {
  return new Hono().post("/v1/checkpoint/:runId/async", limitBody(MAX_BODY_BYTES.checkpoint), async (c) => {
    const body = checkpointSchema.safeParse(await readJson(c));
    if (!body.success) return refuse(c, 400, describeIssue(body.error));
    const dispatch = inFlight.find({
      itemId: decodeQueueItemId(body.data.qi_id),
      runId: c.req.param("runId"),
      requestId: body.data.request_id,
      generation: body.data.generation_id,
    });
    const stale = () => refuse(c, 409, "Stale dispatch: the run has continued without this request");
    if (!dispatch || body.data.run_id !== c.req.param("runId")) return stale();
    const { disorder } = core;
    const about = body.data.steps[0]?.id ?? "";
    await disorder?.linger(about);
    const lost = () => refuse(c, 503, "The checkpoint was lost, as it may be on Inngest's server");
    if (disorder?.happens("loseBefore", about)) return lost();
    const result = await checkpointSteps(core, dispatch, body.data.steps);
    if (result === "saved" && disorder?.happens("loseAfter", about)) return lost();
    if (result === "stale") return stale();
    return result === "saved" ? c.body("", 200) : refuse(c, 413, result.tooLarge);
  });
}
