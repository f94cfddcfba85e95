import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { createLocalEngine, type DatabaseOption, type LocalEngine, type TestClock } from "../index.js";
import { createGate } from "./gate.js";

const silent = { info() {}, warn() {}, error() {}, debug() {} };

/** The effects of the functions, over all processes. */
export interface Journal {
  bodies: string[];
}

/** An engine and its app, in place of a process. */
export interface Life {
  engine: LocalEngine;
  inngest: Inngest;
  /** Resolves when the step `slow` is running. */
  slowEntered: Promise<void>;
  /** Lets the step `slow` end. */
  releaseSlow(): void;
}

/** Starts an engine and an app with runs that wait, sleep, invoke and are in the middle of a step. */
export async function startLife(database: DatabaseOption, clock: TestClock, journal: Journal): Promise<Life> {
  const engine = await createLocalEngine({ database, clock, logger: silent });
  const inngest = new Inngest({
    id: "app",
    isDev: true,
    baseUrl: engine.baseUrl,
    fetch: engine.fetch,
    logger: silent,
  });
  const entered = createGate<void>();
  const released = createGate<void>();
  const note = (body: string) => {
    journal.bodies.push(body);
    return body;
  };
  const child = inngest.createFunction({ id: "child", triggers: [] }, async ({ step }) => {
    const event = await step.waitForEvent("wait", { event: "t/child-resolved", timeout: "1h" });
    return event?.data ?? null;
  });
  const functions = [
    child,
    inngest.createFunction({ id: "waits", triggers: { event: "t/all" } }, async ({ step }) => {
      await step.run("before wait", () => note("before wait"));
      const event = await step.waitForEvent("wait", { event: "t/resolved", timeout: "1h" });
      await step.run("after wait", () => note("after wait"));
      return event?.data ?? null;
    }),
    inngest.createFunction({ id: "sleeps", triggers: { event: "t/all" } }, async ({ step }) => {
      await step.sleep("nap", "10m");
      return step.run("after sleep", () => note("after sleep"));
    }),
    inngest.createFunction({ id: "invokes", triggers: { event: "t/all" } }, async ({ step }) =>
      step.invoke("child", { function: child, data: {} }),
    ),
    inngest.createFunction({ id: "retries", triggers: { event: "t/all" } }, async ({ step, attempt }) =>
      step.run("flaky", () => {
        if (attempt === 0) throw new Error("not yet");
        return note("flaky");
      }),
    ),
    inngest.createFunction({ id: "mid-step", triggers: { event: "t/all" } }, async ({ step }) => {
      await step.run("checkpointed", () => note("checkpointed"));
      return step.run("slow", async () => {
        note("slow begins");
        entered.resolve();
        await released.promise;
        return "slow";
      });
    }),
  ];
  await engine.registerApp({ handler: serve({ client: inngest, functions }) });
  await engine.start();
  return { engine, inngest, slowEntered: entered.promise, releaseSlow: () => released.resolve() };
}

/** The runs of an event, by function. */
export async function outputsOf(engine: LocalEngine, eventId: string): Promise<Record<string, unknown>> {
  const response = await engine.fetch(`${engine.baseUrl}/v1/events/${eventId}/runs`);
  const { data } = (await response.json()) as {
    data: Array<{ function_id: string; status: string; output: unknown }>;
  };
  return Object.fromEntries(data.map((run) => [run.function_id, [run.status, run.output]]));
}
