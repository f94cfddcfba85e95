import { existsSync, readFileSync } from "node:fs";
import * as z from "zod";

const jsonObject = z.record(z.string(), z.unknown());

const exchangeSchema = z.object({
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.unknown(),
  }),
  response: z.object({
    status: z.number(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.unknown(),
  }),
});

/** The body of a request for a function. */
export const runRequestBodySchema = z.looseObject({
  ctx: z.looseObject({
    run_id: z.string(),
    fn_id: z.string(),
    job_id: z.string(),
    qi_id: z.string(),
    request_id: z.string(),
    generation_id: z.number(),
    stack: z.object({ stack: z.array(z.string()), current: z.number() }),
  }),
  event: z.looseObject({ id: z.string(), name: z.string(), data: jsonObject }),
  steps: jsonObject,
});

export type Exchange = z.output<typeof exchangeSchema>;
export type RunRequestBody = z.output<typeof runRequestBodySchema>;

/** Reads a recorded conversation between the Inngest Dev Server and an app. */
export function readTranscript(name: string): Exchange[] {
  const files = ["fixtures", "fixtures/races"].map(
    (folder) => new URL(`./${folder}/${name}.jsonl`, import.meta.url),
  );
  const file = files.find((url) => existsSync(url));
  if (!file) throw new Error(`There is no transcript ${name}`);
  const text = readFileSync(file, "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => exchangeSchema.parse(JSON.parse(line)));
}

/** The recorded requests for one function, by run, in their order. */
export function groupByRun(exchanges: Exchange[]): Exchange[][] {
  const runs = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    const { run_id } = runRequestBodySchema.parse(exchange.request.body).ctx;
    runs.set(run_id, [...(runs.get(run_id) ?? []), exchange]);
  }
  return [...runs.values()];
}
