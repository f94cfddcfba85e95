import { createTestClock } from "@countersign/local-engine";
import { finance, install } from "./support/installation.mjs";
import { startPostgres } from "./support/postgres.mjs";
import { smallestWait } from "./support/smallest-wait.mjs";
import { watchRuns } from "./support/watch-runs.mjs";

/**
 * The runs and steps of a turn of an agent, which is what Inngest charges for, guarded and as plain AgentKit. The model
 * calls a tool and then answers.
 */
const turns = /** @type {const} */ ([
  { name: "a turn without gated calls", tool: "lookup", calls: 1 },
  { name: "a turn with one gated call", tool: "refund", calls: 1 },
  { name: "a turn with ten gated calls", tool: "refund", calls: 10 },
]);

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* turnCost() {
  const server = await startPostgres();
  const clock = createTestClock();
  const wait = smallestWait();
  const plain = await install(await server.open("plain"), { plain: true, ...wait.options });
  const guarded = await install(server.url, { clock });
  try {
    const subjects = [
      {
        name: "plain AgentKit",
        installation: plain,
        work: await watchRuns(plain.sql),
        /** @param {string} id @param {number} calls */
        decide: async (id, calls) => {
          for (let call = 0; call < calls; call++) {
            await plain.engine.idle();
            await wait.end(plain.inngest, calls === 1 ? id : `${id} ${call}`);
          }
        },
      },
      {
        name: "guarded",
        installation: guarded,
        work: await watchRuns(guarded.sql),
        decide: async () => {
          for (const { id: approvalId, digest } of await guarded.pending()) {
            const decision = { approvalId, principal: finance, type: "approve", digest, reason: null };
            await guarded.countersign.decide(decision);
          }
        },
      },
    ];
    for (const { name, installation, work, decide } of subjects) {
      for (const turn of turns) {
        await installation.engine.idle();
        await work.take();
        let ran = 0;
        installation.onTool(() => ran++);
        await installation.say({ id: turn.name, tool: turn.tool, calls: turn.calls, turns: 2 });
        if (turn.tool === "refund") await decide(turn.name, turn.calls);
        await installation.engine.idle();
        if (ran < turn.calls) throw new Error(`${name}: ${ran} of ${turn.calls} calls ran`);
        const { runs, steps } = (await work.take()).turns;
        yield { name: `${turn.name}, ${name}: runs`, value: runs, unit: "runs" };
        yield { name: `${turn.name}, ${name}: steps`, value: steps, unit: "steps" };
      }
    }
    const [, { work }] = subjects;
    await clock.advance("1m");
    await guarded.engine.idle();
    const { relay } = await work.take();
    yield { name: "the relay, each minute: runs", value: relay.runs, unit: "runs" };
    yield { name: "the relay, each minute: steps", value: relay.steps, unit: "steps" };
  } finally {
    await plain.close();
    await guarded.close();
    await server.stop();
  }
}
