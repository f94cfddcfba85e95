import { anthropic, openai } from "inngest";
import { afterEach, expect, test } from "vitest";
import { listenWithFetch } from "../testing/http-server.js";
import { createHarness } from "../testing/sdk-harness.js";

const KEY = "sk-very-secret-key";
const cleanups: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function startModel(answer: (request: Request) => Response | Promise<Response>) {
  const server = await listenWithFetch(async (request) => answer(request));
  cleanups.push(server.close);
  return server.url;
}

test("the engine makes model calls in parallel with other steps, and keeps the raw responses", async () => {
  const headers: Array<Record<string, string | null>> = [];
  const baseUrl = await startModel(async (request) => {
    const pick = (name: string) => request.headers.get(name);
    headers.push({
      authorization: pick("authorization"),
      key: pick("x-api-key"),
      version: pick("anthropic-version"),
    });
    const { model } = (await request.json()) as { model: string };
    return Response.json({ model, choices: [] });
  });
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step }) => {
      const first = await step.ai.infer("one", {
        model: openai({ model: "gpt-4o", apiKey: KEY, baseUrl }),
        body: { messages: [{ role: "user", content: "hi" }] },
      });
      const rest = await Promise.all([
        step.ai.infer("two", {
          model: anthropic({
            model: "claude-3-5-haiku-latest",
            apiKey: KEY,
            baseUrl,
            defaultParameters: { max_tokens: 9 },
          }),
          body: { messages: [{ role: "user", content: "hi" }], max_tokens: 9 },
        }),
        step.run("three", () => 3),
      ]);
      return [first, ...rest];
    }),
  ]);
  const [run] = await harness.send("t/start");
  expect(run).toMatchObject({
    status: "Completed",
    output: [{ model: "gpt-4o" }, { model: "claude-3-5-haiku-latest" }, 3],
  });
  expect(headers[0]).toMatchObject({ authorization: `Bearer ${KEY}` });
  expect(headers[1]).toMatchObject({ authorization: null, key: KEY, version: "2023-06-01" });
});

test("a refused model call is retried, then becomes an error that does not contain the key", async () => {
  let calls = 0;
  const baseUrl = await startModel((request) => {
    calls++;
    const message = `bad key ${request.headers.get("authorization")}`;
    return Response.json({ error: { message } }, { status: 401 });
  });
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" }, retries: 1 }, async ({ step }) => {
      const body = { messages: [{ role: "user" as const, content: "hi" }] };
      return Promise.all([
        step.ai.infer("a", { model: openai({ model: "gpt-4o", apiKey: KEY, baseUrl }), body }),
        step.run("b", () => "b"),
      ]).catch(({ name, message, stack }: Error) => ({ name, message, stack }));
    }),
  ]);
  const [run] = await harness.send("t/start");
  expect([run?.status, calls]).toEqual(["Running", 1]);
  await harness.clock.advance("15s");
  await harness.engine.idle();
  expect(calls).toBe(2);
  const { output } = await harness.run(run?.run_id ?? "");
  expect(output).toMatchObject({
    name: "AIGatewayError",
    message: "Error making AI request: unsuccessful status code: 401",
  });
  expect(JSON.stringify(output)).toContain("[redacted]");
  expect(JSON.stringify(output)).not.toContain(KEY);
});
