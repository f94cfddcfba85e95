import type { LocalEngine } from "../index.js";
import { createNormalizer } from "./normalize.js";
import {
  type Exchange,
  groupByRun,
  type RunRequestBody,
  readTranscript,
  runRequestBodySchema,
} from "./transcript.js";

/** A run of the engine, and the recorded run that it must equal. */
export interface ReplayedRun {
  functionId: string;
  expected: Exchange[];
  actual: Array<{ url: string; headers: Record<string, string>; body: RunRequestBody }>;
}

/** Called before a request is answered. It repeats what the recorded function did besides its response. */
export type OnRequest = (functionId: string, stepId: string) => Promise<void>;

/** An app that gives the recorded answers. */
export class ReplayApp {
  readonly runs: ReplayedRun[] = [];
  readonly #byRunId = new Map<string, ReplayedRun>();
  readonly #recordings = new Map<string, Exchange[][]>();

  constructor(
    private readonly app: { id: string; functions: unknown[] },
    transcripts: string[],
    private readonly engine: Pick<LocalEngine, "baseUrl" | "fetch">,
    private readonly onRequest: OnRequest = async () => {},
  ) {
    for (const exchanges of transcripts.map(readTranscript)) {
      for (const run of groupByRun(exchanges)) {
        const id = functionIdOf(run[0]?.request.url ?? "");
        this.#recordings.set(id, [...(this.#recordings.get(id) ?? []), run]);
      }
    }
  }

  readonly handler = async (request: Request): Promise<Response> => {
    if (request.method === "PUT") {
      return Response.json(
        { app_id: this.app.id, url: request.url, functions: this.app.functions },
        { headers: { "x-inngest-sync-kind": "in_band" } },
      );
    }
    const body = runRequestBodySchema.parse(await request.json());
    const run = this.#runOf(functionIdOf(request.url), body);
    run.actual.push({ url: request.url, headers: Object.fromEntries(request.headers), body });
    const exchange = run.expected[run.actual.length - 1];
    if (!exchange) return Response.json({ message: "Nothing more was recorded" }, { status: 500 });
    await this.onRequest(run.functionId, new URL(request.url).searchParams.get("stepId") ?? "");
    await this.#checkpoint(run, body);
    const { status, headers } = exchange.response;
    // Functions return the id of their run, so replace the recorded id.
    const recordedRunId = runRequestBodySchema.parse(exchange.request.body).ctx.run_id;
    const text = JSON.stringify(exchange.response.body).replaceAll(recordedRunId, body.ctx.run_id);
    return new Response(text, { status, headers });
  };

  /** The requests of a function, recorded and replayed, ready to be compared. */
  compare(functionId: string): Array<{ expected: unknown; actual: unknown }> {
    return this.runs
      .filter((run) => run.functionId === functionId)
      .map((run) => ({
        expected: normalizeRun(
          run.expected.map(({ request }) => ({ ...request, body: runRequestBodySchema.parse(request.body) })),
        ),
        actual: normalizeRun(run.actual),
      }));
  }

  /** Assigns a new run to the first recorded run that is not assigned yet and that began with an equal event. */
  #runOf(functionId: string, body: RunRequestBody): ReplayedRun {
    const known = this.#byRunId.get(body.ctx.run_id);
    if (known) return known;
    const recordings = this.#recordings.get(functionId) ?? [];
    const shapeOf = (event: unknown) => JSON.stringify(createNormalizer()(event));
    const shape = shapeOf(body.event);
    const index = recordings.findIndex(
      ([first]) => shapeOf(runRequestBodySchema.parse(first?.request.body).event) === shape,
    );
    const [expected = []] = recordings.splice(Math.max(index, 0), 1);
    const run = { functionId, expected, actual: [] };
    this.runs.push(run);
    this.#byRunId.set(body.ctx.run_id, run);
    return run;
  }

  /**
   * Steps that the next recorded request contains although no response reported them: the recorded function
   * checkpointed them.
   */
  async #checkpoint(run: ReplayedRun, body: RunRequestBody): Promise<void> {
    const index = run.actual.length - 1;
    const next = run.expected[index + 1];
    const answered = run.expected[index]?.response.body;
    if (!next || !Array.isArray(answered)) return;
    const { ctx, steps } = runRequestBodySchema.parse(next.request.body);
    const inResponse = new Set(answered.map((op: { id: string }) => op.id));
    const waited = new Set(run.expected.slice(0, index + 1).flatMap(({ response }) => idsOf(response.body)));
    for (const id of ctx.stack.stack) {
      if (body.ctx.stack.stack.includes(id) || inResponse.has(id) || waited.has(id)) continue;
      const { data } = steps[id] as { data: unknown };
      const { qi_id, request_id, generation_id, run_id, fn_id } = body.ctx;
      const response = await this.engine.fetch(`${this.engine.baseUrl}/v1/checkpoint/${run_id}/async`, {
        method: "POST",
        body: JSON.stringify({
          run_id,
          fn_id,
          qi_id,
          request_id,
          generation_id,
          steps: [{ id, op: "StepRun", data }],
        }),
      });
      if (response.status !== 200) throw new Error(`The checkpoint was refused: ${response.status}`);
    }
  }
}

function idsOf(body: unknown): string[] {
  return Array.isArray(body) ? body.map((op: { id: string }) => op.id) : [];
}

function functionIdOf(url: string): string {
  return new URL(url, "http://app.invalid").searchParams.get("fnId") ?? "";
}

const COMPARED_HEADERS = [
  "x-inngest-generation-id",
  "x-inngest-job-id",
  "x-inngest-req-version",
  "x-inngest-step-id",
  "x-run-id",
];

function normalizeRun(
  requests: Array<{ url: string; headers: Record<string, string>; body: RunRequestBody }>,
): unknown[] {
  const normalize = createNormalizer();
  return requests.map(({ url, headers, body }) =>
    normalize({
      search: new URL(url, "http://app.invalid").search,
      headers: Object.fromEntries(COMPARED_HEADERS.map((name) => [name, headers[name]])),
      body,
    }),
  );
}
