import { createHash } from "node:crypto";
import { z } from "zod";

const opcode = z.object({
  id: z.string(),
  op: z.string(),
  userland: z.object({ id: z.string(), index: z.number().optional() }).optional(),
});
const opcodes = z.array(opcode);
const checkpoint = z.object({ run_id: z.string(), steps: opcodes });
type Opcode = z.infer<typeof opcode>;

/** The steps of one run of a function, in the order in which the engine first learned of them. */
interface RunSteps {
  id: string;
  fn: string;
  ids: string[];
}

/** Intercepts the requests between app and engine, and records the steps of each run. */
export function stepsSeen() {
  const runs = new Map<string, RunSteps>();
  const counts = { requests: 0, checkpoints: 0, mostStepsRunInARequest: 0 };

  const note = (runId: string, ops: readonly Opcode[]) => {
    const run = runs.get(runId);
    if (!run) throw new Error(`A step of ${runId}, which was never asked for`);
    for (const id of ops.filter(({ op }) => op !== "RunComplete").map(stepId)) {
      if (!run.ids.includes(id)) run.ids.push(id);
    }
  };

  return {
    counts,
    knows: (runId: string) => runs.has(runId),
    runs: () => [...runs.values()],
    /** For `onRequest` of the harness: the engine's requests to the app, and the opcodes in its responses. */
    async ofApp(request: Request, handle: (request: Request) => Promise<Response>): Promise<Response> {
      const runId = request.headers.get("x-run-id");
      const fn = new URL(request.url).searchParams.get("fnId");
      if (runId === null || fn === null) return handle(request);
      if (!runs.has(runId)) runs.set(runId, { id: runId, fn, ids: [] });
      counts.requests++;
      const response = await handle(request);
      const ops = opcodes.safeParse(await response.clone().json());
      if (response.status !== 206 || !ops.success) return response;
      const ran = ops.data.filter(({ op }) => op === "StepRun").length;
      counts.mostStepsRunInARequest = Math.max(counts.mostStepsRunInARequest, ran);
      note(runId, ops.data);
      return response;
    },
    /** For `onEngineRequest`: the steps that a request reports while it goes on. */
    async ofEngine(request: Request, handle: (request: Request) => Promise<Response>): Promise<Response> {
      if (!new URL(request.url).pathname.startsWith("/v1/checkpoint/")) return handle(request);
      counts.checkpoints++;
      const body = checkpoint.parse(await request.clone().json());
      note(body.run_id, body.steps);
      return handle(request);
    },
  };
}

/** The id as the author of the function writes it. The engine memoizes the step under its hash. */
function stepId({ id, userland }: Opcode): string {
  if (!userland) return id;
  const indexed = userland.index ? `${userland.id}:${userland.index}` : userland.id;
  const known = [indexed, userland.id].find(
    (candidate) => createHash("sha1").update(candidate).digest("hex") === id,
  );
  return known ?? `${userland.id} as ${id}`;
}
