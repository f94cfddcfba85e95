import { scaled } from "./support/brief.mjs";
import { install } from "./support/installation.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * What Countersign adds to a turn of an agent whose calls need nobody: the model calls an allowed tool and then answers,
 * guarded and as plain AgentKit, in turns on one Postgres.
 */
const rounds = scaled(40);
const warmUp = scaled(10);
const aim = 1.1;

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* agentTurn() {
  const server = await startPostgres();
  const subjects = [await subject(await server.open("plain"), true), await subject(server.url, false)];
  try {
    for (let round = 0; round < warmUp + rounds; round++) {
      for (const { turn } of subjects) await turn(`turn ${round}`, round >= warmUp);
    }
  } finally {
    for (const { installation } of subjects) await installation.close();
    await server.stop();
  }
  const [plain, guarded] = subjects;
  if (!plain || !guarded) throw new Error("unreachable");
  for (const [name, unit, of] of /** @type {const} */ ([
    ["time", "ms", (/** @type {typeof plain} */ { times }) => median(times)],
    ["requests to the app", "requests", (/** @type {typeof plain} */ { traffic }) => traffic.app / rounds],
    [
      "requests to the engine",
      "requests",
      (/** @type {typeof plain} */ { traffic }) => traffic.engine / rounds,
    ],
  ])) {
    const ratio = of(guarded) / of(plain);
    yield { name: `agent turn without gated calls, plain AgentKit: ${name}`, value: of(plain), unit };
    yield {
      name: `agent turn without gated calls, guarded: ${name}`,
      value: of(guarded),
      unit,
      ratioTo: "plain AgentKit",
      ratio,
      // One step for each response with tool calls is what makes a reload harmless.
      ...(unit === "ms" && { aim: `≤ ${aim} ×`, met: ratio <= aim }),
    };
  }
}

/** @param {string} url @param {boolean} plain */
async function subject(url, plain) {
  const traffic = { app: 0, engine: 0 };
  let counting = false;
  /** @type {number[]} */
  const times = [];
  const installation = await install(url, {
    plain,
    onTraffic(_bytes, kind) {
      if (counting && kind === "to app") traffic.app++;
      if (counting && kind === "to engine") traffic.engine++;
    },
  });
  return {
    installation,
    traffic,
    times,
    /** @param {string} id @param {boolean} counts */
    async turn(id, counts) {
      counting = counts;
      const start = performance.now();
      await installation.say({ id, tool: "lookup", turns: 2 });
      await installation.engine.idle();
      if (counts) times.push(performance.now() - start);
    },
  };
}
