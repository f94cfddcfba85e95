import { scaled } from "./support/brief.mjs";
import { finance, install } from "./support/installation.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * How long after a decision its tool starts, beside the least that Inngest takes for it: a parent that invokes a child
 * that only waits, and then runs a step; and beside a bare wait. All on the same engine and the same Postgres, in turns.
 */
const rounds = scaled(40);
const warmUp = scaled(10);

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* decisionToTool() {
  const server = await startPostgres();
  /** @type {(at: number) => void} */
  let reached = () => {};
  const here = async () => reached(performance.now());
  const installation = await install(server.url, {
    functions: (inngest) => {
      const child = inngest.createFunction({ id: "child" }, async ({ event, step }) => {
        await step.waitForEvent("wait", waitFor(event.data.key));
      });
      const parent = inngest.createFunction(
        { id: "parent", triggers: [{ event: "bench/invoke" }] },
        async ({ event, step }) => {
          await step.invoke("wait", { function: child, data: { key: event.data.key } });
          await step.run("after", here);
        },
      );
      const bare = inngest.createFunction(
        { id: "bare", triggers: [{ event: "bench/wait" }] },
        async ({ event, step }) => {
          await step.waitForEvent("wait", waitFor(event.data.key));
          await step.run("after", here);
        },
      );
      return [child, parent, bare];
    },
  });
  const { engine, inngest, countersign } = installation;
  installation.onTool(() => reached(performance.now()));
  /** @param {() => Promise<unknown>} act */
  const until = async (act) => {
    /** @type {Promise<number>} */
    const arrival = new Promise((resolve) => {
      reached = resolve;
    });
    const start = performance.now();
    await act();
    const arrived = await arrival;
    return { start, arrived };
  };
  /** @param {string} event @param {string} key */
  const woken = async (event, key) => {
    await inngest.send({ name: event, data: { key } });
    await engine.idle();
    const { start, arrived } = await until(() => inngest.send({ name: "bench/go", data: { key } }));
    return arrived - start;
  };
  /** @type {Record<"bare" | "invoke" | "committed" | "asked", number[]>} */
  const times = { bare: [], invoke: [], committed: [], asked: [] };
  try {
    for (let round = 0; round < warmUp + rounds; round++) {
      if (round === warmUp) for (const all of Object.values(times)) all.length = 0;
      times.bare.push(await woken("bench/wait", `bare ${round}`));
      await engine.idle();
      times.invoke.push(await woken("bench/invoke", `invoke ${round}`));
      await engine.idle();
      await installation.say({ id: `call ${round}` });
      const [call] = await installation.pending();
      if (!call) throw new Error("Nothing waits");
      const { id: approvalId, digest } = call;
      const { start, arrived } = await until(() =>
        countersign.decide({ approvalId, principal: finance, type: "approve", digest, reason: null }),
      );
      times.asked.push(arrived - start);
      times.committed.push(arrived - (installation.decisionCommitted.get(approvalId) ?? Number.NaN));
      await engine.idle();
    }
  } finally {
    await installation.close();
    await server.stop();
  }
  const invoke = median(times.invoke);
  const bare = median(times.bare);
  const committed = median(times.committed);
  const asked = median(times.asked);
  yield { name: "event to step, bare wait", value: bare, unit: "ms" };
  yield { name: "event to step, smallest invoke-and-wait", value: invoke, unit: "ms" };
  yield {
    name: "decision committed to tool",
    value: committed,
    unit: "ms",
    ratioTo: "smallest invoke-and-wait",
    ratio: committed / invoke,
    aim: "≤ 1.3 ×",
    met: committed / invoke <= 1.3,
  };
  yield {
    name: "decision asked for to tool",
    value: asked,
    unit: "ms",
    aim: "≤ 50 ms",
    met: asked <= 50,
  };
}

/** @param {string} key */
function waitFor(key) {
  return /** @type {const} */ ({
    event: "bench/go",
    timeout: "1h",
    if: `async.data.key == ${JSON.stringify(key)}`,
  });
}
