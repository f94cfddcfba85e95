import type { RequestHandler } from "@countersign/testing";
import { z } from "zod";

const opcodes = z.array(z.looseObject({ id: z.string(), op: z.string(), data: z.unknown().optional() }));
const asked = z.looseObject({
  steps: z.record(z.string(), z.unknown()),
  ctx: z.looseObject({ stack: z.object({ current: z.number(), stack: z.array(z.string()) }) }),
});

type Asked = z.infer<typeof asked>;

/**
 * Asks for each planned step once more when it has ended, with its output among the others, and for an earlier one of the run. A real
 * server does so if it has kept an output and then forgets that it was done with the step. Inngest's SDK would run the step again,
 * after the code that follows it has read the output.
 */
export function finishedStepsAgain() {
  const finished = new Map<string, Request[]>();
  /** The answers that were an error. */
  const failed: string[] = [];
  let repeated = 0;

  async function repeat(request: Request, state: Asked, handle: RequestHandler): Promise<void> {
    repeated++;
    const response = await handle(new Request(request.clone(), { body: JSON.stringify(state) }));
    const answer = await response.text();
    const ops = response.status === 206 ? opcodes.parse(JSON.parse(answer)) : [];
    // A run that goes to its end before the step is found again ends instead.
    if (!response.ok || ops.some(({ op }) => op === "StepError" || op === "StepFailed")) failed.push(answer);
  }

  return {
    failed,
    get repeated() {
      return repeated;
    },
    around: (handle: RequestHandler): RequestHandler => {
      return async (request) => {
        const stepId = new URL(request.url).searchParams.get("stepId") ?? "step";
        const again = request.clone();
        const response = await handle(request);
        if (response.status !== 206) return response;
        const ops = opcodes.parse(await response.clone().json());
        const ended = ops.find(({ id, op }) => id === stepId && op === "StepRun");
        if (!ended) return response;
        const state = withOutput(asked.parse(await again.clone().json()), stepId, ended.data ?? null);
        const runId = again.headers.get("x-run-id") ?? "";
        const earlier = finished.get(runId) ?? [];
        finished.set(runId, [...earlier, again]);
        await repeat(again, state, handle);
        const half = earlier[Math.floor(earlier.length / 2)];
        if (half) await repeat(half, state, handle);
        return response;
      };
    },
  };
}

function withOutput({ steps, ctx, ...body }: Asked, stepId: string, data: unknown): Asked {
  const stack = [...ctx.stack.stack, stepId];
  return {
    ...body,
    ctx: { ...ctx, stack: { current: stack.length, stack } },
    steps: { ...steps, [stepId]: { type: "data", data } },
  };
}
