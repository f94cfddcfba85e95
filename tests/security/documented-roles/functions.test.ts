import { afterAll, beforeAll, expect, it } from "vitest";
import { bookingRule, openBookingDesk } from "../../support/booking-desk.js";
import { callsOf } from "../../support/calls-from-message.js";
import { freshPostgres } from "../../support/databases.js";
import { secret } from "../../support/evidence/tampering.js";
import { eventually } from "../../support/harness.js";
import { createRole } from "../../support/postgres/documented-roles.js";
import { recordingChannel } from "../../support/recording-channel.js";
import { postgresStore } from "../../support/store.js";

type Desk = Awaited<ReturnType<typeof open>>;

/** A desk whose app uses the database as the application's documented role. */
async function open() {
  const database = await freshPostgres();
  const role = await createRole(database);
  await role.giveRights();
  const store = postgresStore({ url: role.url });
  const { channel } = recordingChannel();
  const desk = await openBookingDesk(database, {
    rules: [{ ...bookingRule, notify: ["test"] }],
    countersign: { signingKey: secret, channels: [channel] },
    between: () => store,
  });
  return Object.assign(desk, {
    database,
    async close() {
      await desk[Symbol.asyncDispose]();
      await store.close();
      await role[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  });
}

/** What makes each function do its work, and how its run is then. A canary runs as long as runs wait. */
const functions: Record<string, { by(desk: Desk): Promise<unknown>; status?: string }> = {
  "countersign-orchestrator": { by: (desk) => desk.book("A-1") },
  "countersign-deliver": {
    // A message about a call that is decided before it could be sent is not sent.
    by: (desk) =>
      desk.book("A-2", undefined, () =>
        eventually(async () => {
          const [sent] = await desk.store.findDeliveries({ tenantId: "acme", state: "sent", limit: 1 });
          return sent;
        }, "a message"),
      ),
  },
  "countersign-undo": {
    by: async (desk) => {
      const { call } = await desk.book("A-3");
      await desk.until((await desk.undo(call)).id, "executed");
    },
  },
  "countersign-relay": { by: (desk) => desk.clock.advance("1m") },
  "countersign-canary": {
    by: async (desk) => {
      await desk.say(callsOf({ name: "book", input: { order: "A-4" } }));
      await desk.pending(1);
      await desk.clock.advance("2m");
    },
    status: "Running",
  },
  "countersign-withdrawal": {
    by: async (desk) => {
      const { runId } = await desk.say(callsOf({ name: "book", input: { order: "A-5" } }));
      await desk.pending(2);
      await desk.engine.fetch(`${desk.engine.baseUrl}/v1/runs/${runId}`, { method: "DELETE" });
      await desk.pending(1);
    },
  },
};

let desk: Desk;
beforeAll(async () => {
  desk = await open();
});
afterAll(() => desk.close());

it("the table has every function of an instance", () => {
  expect(Object.keys(functions).sort()).toEqual(desk.countersign.functions.map((each) => each.id()).sort());
});

it.each(Object.entries(functions))(
  "the application's documented role runs %s",
  async (id, { by, status }) => {
    await by(desk);
    const wanted = status ?? "Completed";
    const runs = await desk.onceAtRest(async () => {
      const found = await desk.functionRuns(id);
      return found.some((run) => run.status === wanted) ? found : undefined;
    }, `${id} is ${wanted}`);
    expect(runs.filter((run) => run.status === "Failed")).toEqual([]);
  },
);
