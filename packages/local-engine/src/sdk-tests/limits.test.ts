import { describe, expect, test } from "vitest";
import { createHarness, type Harness } from "../testing/sdk-harness.js";

const MiB = 1024 * 1024;
const text = (bytes: number) => "x".repeat(bytes);

/** Inngest stores `{"data":"…"}`, which takes eleven bytes more than the text. */
const maxOutputBytes = 4 * MiB - '{"data":""}'.length;

describe.each([true, false])("a run with checkpointing %s", (checkpointing) => {
  const open = (counts: { entered: number; modelRequests?: number }) =>
    createHarness(
      (inngest) => [
        inngest.createFunction(
          { id: "output", retries: 1, triggers: { event: "t/output" } },
          async ({ event, step }) => {
            const result = await step.run("large", () => {
              counts.entered++;
              return text(event.data.bytes);
            });
            return result.length;
          },
        ),
        inngest.createFunction(
          { id: "infer", retries: 0, triggers: { event: "t/infer" } },
          async ({ event, step }) => {
            await step.ai.infer("large", {
              model: {
                url: "http://model.invalid",
                authKey: "key",
                format: "openai-chat",
                options: { model: "m" },
              } as never,
              body: { messages: [{ role: "user", content: text(event.data.bytes) }] } as never,
            });
            return "answered";
          },
        ),
        inngest.createFunction(
          { id: "state", retries: 1, triggers: { event: "t/state" } },
          async ({ event, step }) => {
            for (let n = 0; n < event.data.steps; n++) {
              await step.run(`part ${n}`, () => {
                counts.entered = Math.max(counts.entered, n + 1);
                return text(3.5 * MiB);
              });
            }
            return "kept";
          },
        ),
      ],
      {
        client: { checkpointing },
        modelFetch: async () => {
          counts.modelRequests = (counts.modelRequests ?? 0) + 1;
          return Response.json({ choices: [] });
        },
        logger: { warn() {}, error() {} },
      },
    );

  /** Moves the clock until the run has ended, retries included. */
  const settled = async (harness: Harness, name: string, data: Record<string, unknown>) => {
    const [run] = await harness.send(name, data);
    await harness.clock.advance("10m");
    await harness.engine.idle();
    return harness.run(run?.run_id ?? "");
  };

  test("completes with a step result of 4 MiB, and fails with one more byte", async () => {
    const counts = { entered: 0 };
    await using harness = await open(counts);
    expect(await settled(harness, "t/output", { bytes: maxOutputBytes })).toMatchObject({
      status: "Completed",
      output: maxOutputBytes,
    });
    expect(counts.entered).toBe(1);
    const failed = await settled(harness, "t/output", { bytes: maxOutputBytes + 1 });
    expect(failed).toMatchObject({
      status: "Failed",
      output: {
        message: expect.stringMatching(
          /^error validating generator opcode \w+: step output size is greater than the limit$/,
        ),
      },
    });
    // As on Inngest, the request is tried again, and so its step runs again.
    expect(counts.entered).toBe(3);
  });

  test("fails if a response is larger than 8 MiB", async () => {
    await using harness = await open({ entered: 0 });
    expect(await settled(harness, "t/output", { bytes: 9 * MiB })).toMatchObject({
      status: "Failed",
      output: { name: "output_too_large" },
    });
  });

  test("fails if a model request is larger than 4 MiB, and does not send it", async () => {
    const counts = { entered: 0, modelRequests: 0 };
    await using harness = await open(counts);
    expect(await settled(harness, "t/infer", { bytes: 3 * MiB })).toMatchObject({ status: "Completed" });
    expect(counts.modelRequests).toBe(1);
    expect(await settled(harness, "t/infer", { bytes: 5 * MiB })).toMatchObject({
      status: "Failed",
      output: { message: expect.stringContaining("step input size is greater than the limit") },
    });
    expect(counts.modelRequests).toBe(1);
  });

  test("keeps up to 32 MiB of results, and fails with more", async () => {
    const counts = { entered: 0 };
    await using harness = await open(counts);
    expect(await settled(harness, "t/state", { steps: 10 })).toMatchObject({
      status: "Failed",
      output: {
        name: "InngestErrStateOverflowed",
        message: "The function run exceeded the state size limit of 33554432 bytes.",
      },
    });
    // Nine parts were kept.
    expect(counts.entered).toBe(10);
  });
});

test("a run continues after 999 steps, and fails after 1,000", async () => {
  await using harness = await createHarness((inngest) => [
    inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ event, step }) => {
      const count = Number(event.data.count);
      await Promise.all(Array.from({ length: count }, (_, n) => step.sleep(`nap ${n}`, "1s")));
      return count;
    }),
  ]);
  const overflowed = {
    status: "Failed",
    output: {
      name: "InngestErrFunctionOverflowed",
      message: "The function run exceeded the step limit of 1000 steps.",
    },
  };
  const [enough] = await harness.send("t/start", { count: 999 });
  const [full] = await harness.send("t/start", { count: 1_000 });
  // Steps that are planned at once are refused at once.
  const [tooMany] = await harness.send("t/start", { count: 1_001 });
  expect(tooMany).toMatchObject(overflowed);
  await harness.clock.advance("1s");
  await harness.engine.idle();
  expect(await harness.run(enough?.run_id ?? "")).toMatchObject({ status: "Completed", output: 999 });
  expect(await harness.run(full?.run_id ?? "")).toMatchObject(overflowed);
});
