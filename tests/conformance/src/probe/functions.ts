import {
  type Context,
  type Inngest,
  type InngestFunction,
  NonRetriableError,
  RetryAfterError,
} from "inngest";
import { z } from "zod";
import type { Note } from "./note.js";
import { oneMiB, untidy } from "./untidy.js";

const ofEvent = z.record(z.string(), z.unknown()).nullish();

/** What a body of the probe gets. */
interface Look {
  step: Context["step"];
  attempt: number;
  data: Record<string, unknown>;
  note(name: string, value: unknown): void;
}

/** An error with all that an error may have. */
function richError(): Error {
  return Object.assign(new TypeError("broken", { cause: new RangeError("deep") }), {
    code: "E_RICH",
    extra: 1,
  });
}

async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await promise };
  } catch (error) {
    if (!(error instanceof Error)) return { thrown: error };
    const { name, message, cause } = error;
    return {
      name,
      message,
      cause: cause instanceof Error ? cause.message : cause,
      code: Reflect.get(error, "code"),
    };
  }
}

/** The functions of the probe. Each is started by the event `conformance/<id>`. */
export function probeFunctions(inngest: Inngest, note: Note): InngestFunction.Any[] {
  const functions: InngestFunction.Any[] = [];
  const define = (
    id: string,
    body: (look: Look) => Promise<unknown>,
    more: { retries?: 0 | 1 | 2; cancelOn?: { event: string; if: string }[] } = {},
  ) => {
    const fn = inngest.createFunction(
      { id, retries: 0, triggers: [{ event: `conformance/${id}` }], ...more },
      async ({ event, step, attempt, runId }) => {
        const data = ofEvent.parse(event.data) ?? {};
        note(data.key, "run", runId);
        const result = await body({
          step,
          attempt,
          data,
          note: (name, value) => note(data.key, name, value),
        });
        note(data.key, "done", result ?? null);
        return result ?? null;
      },
    );
    functions.push(fn);
    return fn;
  };

  /** The functions that other functions invoke. */
  const echo = define("echo", async ({ data }) => data.result);
  const fails = define("fails", async () => {
    throw richError();
  });
  const waits = define("waits", async ({ step }) => {
    const event = await step.waitForEvent("wait", { event: "conformance/never", timeout: "1h" });
    return event?.data ?? null;
  });
  const naps = define("naps", async ({ step, note }) => {
    await step.sleep("nap", "3s");
    note("woke", true);
  });

  define("event", async ({ data, note }) => note("event", data));
  define("output", async ({ step, note }) => {
    const output = await step.run("output", () => untidy);
    await step.sleep("pause", "1s");
    note("output", output);
  });
  define("invoke", async ({ step, note, data }) => {
    const child = { key: `${String(data.key)}-child`, result: untidy, ...untidy };
    note("result", await step.invoke("invoke", { function: echo, data: child }));
  });
  define("surrogate", async ({ step }) => {
    await step.run("output", () => "a\ud800b");
    await step.sleep("pause", "1s");
  });
  define("nothing", async ({ step, note }) => {
    const run = await step.run("nothing", () => undefined);
    const wait = await step.waitForEvent("wait", { event: "conformance/never", timeout: "1s" });
    const sleep: unknown = await step.sleep("sleep", "1s");
    note("nothing", [run, wait, sleep]);
  });
  define("step-error", async ({ step, note }) => {
    const rich = step.run("rich", () => {
      throw richError();
    });
    const thrown = await outcomeOf(rich);
    await step.sleep("pause", "1s");
    note("error", thrown);
  });
  define("invoke-error", async ({ step, note }) => {
    note("error", await outcomeOf(step.invoke("fails", { function: fails, data: {} })));
  });
  define("invoke-timeout", async ({ step, note }) => {
    note("error", await outcomeOf(step.invoke("naps", { function: naps, data: {}, timeout: "1s" })));
  });
  define("parent", async ({ step, data }) => {
    await step.invoke("naps", { function: naps, data: { key: `${String(data.key)}-child` } });
  });
  define("cancellable", async ({ step }) => void (await step.sleep("long", "1h")), {
    cancelOn: [{ event: "conformance/cancel", if: "async.data.of == event.data.key" }],
  });
  for (const [id, event] of [
    ["saw-failed", "inngest/function.failed"],
    ["saw-cancelled", "inngest/function.cancelled"],
    ["saw-finished", "inngest/function.finished"],
  ] as const) {
    functions.push(
      inngest.createFunction({ id, triggers: [{ event }] }, async ({ event: { data } }) => {
        const trigger = z.looseObject({ data: ofEvent }).parse(data.event);
        note(trigger.data?.key, id, data);
      }),
    );
  }

  define("wait", async ({ step, note, data }) => {
    const options = { event: `conformance/awaited-${String(data.key)}`, timeout: data.timeout as "5s" };
    const wait = { ...options, ...(typeof data.if === "string" ? { if: data.if } : {}) };
    const before = data.pause === undefined ? undefined : await step.sleep("pause", data.pause as "1s");
    note("waits", before ?? null);
    const [first, second] = await Promise.all([
      step.waitForEvent("first", wait),
      step.waitForEvent("second", wait),
    ]);
    note("awaited", [first?.data ?? null, second?.data ?? null]);
  });
  define("parallel", async ({ step, note }) => {
    const run = (name: string) =>
      step.run(name, () => {
        note("entered", name);
        return { z: name, a: 1 };
      });
    note("outputs", await Promise.all([run("one"), run("two"), step.sleep("nap", "1s"), run("three")]));
  });
  define("large-state", async ({ step, note }) => {
    const parts = [];
    for (const n of [1, 2, 3, 4, 5]) {
      const part = await step.run(`part ${n}`, () => ({
        text: "x".repeat(oneMiB),
        ...untidy,
        mark: "a\ud800b",
      }));
      parts.push({ ...part, text: part.text.length });
    }
    await step.sleep("pause", "1s");
    note("parts", parts);
  });
  define(
    "flaky",
    async ({ step, attempt, note }) => {
      for (const name of ["first", "second"]) {
        await step.run(name, () => {
          note(name, { attempt, at: performance.now() });
          if (attempt === 0) throw new RetryAfterError("not yet", "2s");
        });
      }
    },
    { retries: 1 },
  );
  define(
    "never-again",
    async ({ step, note }) => {
      const once = step.run("once", () => {
        note("entered", true);
        throw new NonRetriableError("never again");
      });
      note("error", await outcomeOf(once));
    },
    { retries: 2 },
  );
  define("checkpoint", async ({ step, note, data }) => {
    const output = await step.run("output", () => {
      note("entered", true);
      return { key: data.key, checkpoint: data.checkpoint, came: "first" };
    });
    await step.sleep("pause", "1s");
    note("output", output);
  });
  return [...functions, waits].filter((fn, index, all) => all.indexOf(fn) === index);
}
