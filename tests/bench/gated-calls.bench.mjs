import { finance, install } from "./support/installation.mjs";
import { startPostgres } from "./support/postgres.mjs";
import { watchRuns } from "./support/watch-runs.mjs";

/**
 * What a response with many gated calls costs the engine, from the message to the end of the run: how often functions are
 * asked, how many steps are stored, and how many bytes go between engine and app, events and checkpoints included.
 */
const sizes = [1, 10, 100];

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* gatedCalls() {
  const server = await startPostgres();
  const counted = { invocations: 0, bytes: 0 };
  const installation = await install(server.url, {
    limits: { pendingPerRun: 1000, pendingPerThread: 1000 },
    onTraffic(bytes, kind) {
      counted.bytes += bytes;
      if (kind === "to app") counted.invocations++;
    },
  });
  const work = await watchRuns(installation.sql);
  /** @type {Map<number, { invocations: number, steps: number, bytes: number }>} */
  const measured = new Map();
  try {
    for (const size of sizes) {
      await work.take();
      Object.assign(counted, { invocations: 0, bytes: 0 });
      let ran = 0;
      installation.onTool(() => ran++);
      await installation.say({ id: `message of ${size}`, calls: size });
      for (const { id: approvalId, digest } of await installation.pending()) {
        await installation.countersign.decide({
          approvalId,
          principal: finance,
          type: "approve",
          digest,
          reason: null,
        });
      }
      await installation.engine.idle();
      if (ran !== size) throw new Error(`${ran} of ${size} calls ran`);
      measured.set(size, { ...counted, steps: (await work.take()).turns.steps });
    }
  } finally {
    await installation.close();
    await server.stop();
  }
  const [one, ten, hundred] = sizes.map((size) => measured.get(size));
  if (!one || !ten || !hundred) throw new Error("unreachable");
  for (const what of /** @type {const} */ (["invocations", "steps", "bytes"])) {
    for (const [size, value] of measured) {
      yield { name: `${size} gated calls of one response: ${what}`, value: value[what], unit: what };
    }
    // The line through the two small ones says what the large one may cost.
    const each = (ten[what] - one[what]) / 9;
    const line = ten[what] + 90 * each;
    const ratio = hundred[what] / line;
    yield {
      ...{ name: `each further gated call: ${what}`, value: each, unit: what },
      ...(what === "bytes" && { aim: "≤ 2,900 bytes", met: each <= 2900 }),
    };
    yield {
      name: `100 gated calls of one response beside the line through 1 and 10: ${what}`,
      value: hundred[what],
      unit: what,
      ratioTo: "the line",
      ratio,
      aim: "≤ 1.1 ×",
      met: ratio <= 1.1,
    };
  }
}
