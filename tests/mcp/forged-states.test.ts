import { expect, it } from "vitest";
import { firstKey } from "../support/evidence/signed-desk.js";
import { tripSite } from "../support/mcp/trip-site.js";
import { type TwoTrips, twoTrips } from "../support/mcp/two-trips.js";

// The attacker can write to every table: the engine's, where a run keeps a server's state, and Countersign's.

const aisle = { action: "accept", content: { seat: "aisle" } };

/** The sealed state in the output of a run's first request. */
async function sealOf({ sql }: TwoTrips, runId: string): Promise<string> {
  const [step] = await sql`
    select substring(state from '"sealedState":"([^"]+)"') as seal from local_engine.step
    where run_id = ${runId} and state like '%sealedState%'`;
  return String(step?.seal);
}

const setSeal = ({ sql }: TwoTrips, runId: string, seal: string) => sql`
  update local_engine.step
  set state = regexp_replace(state, '"sealedState":"[^"]+"', ${`"sealedState":"${seal}"`})
  where run_id = ${runId} and state like '%sealedState%'`;

const setRow = ({ sql }: TwoTrips, id: string, set: string) =>
  sql.unsafe(`update countersign.approvals set ${set} where id = $1`, [id]);

interface Forgery {
  what: string;
  /** Runs after the answer, or in place of it. */
  forge(trips: TwoTrips): Promise<unknown>;
  /** Whether the question about Rome is answered first. @default true */
  answered?: boolean;
  words: string;
}

const notOfThisQuestion = "does not belong to this question, so nothing was sent";
const notVerified = "could not be verified, so it was not sent";

const forgeries: Forgery[] = [
  {
    what: "the state of another call",
    forge: async (trips) => setSeal(trips, trips.rome.runId, await sealOf(trips, trips.oslo.runId)),
    words: notOfThisQuestion,
  },
  {
    what: "a state that was changed",
    forge: async (trips) => {
      const seal = await sealOf(trips, trips.rome.runId);
      const last = seal.at(-5) === "A" ? "B" : "A";
      await setSeal(trips, trips.rome.runId, `${seal.slice(0, -5)}${last}${seal.slice(-4)}`);
    },
    words: notOfThisQuestion,
  },
  {
    what: "another question in the row, with a digest that fits it",
    forge: (trips) =>
      setRow(
        trips,
        trips.rome.question.id,
        "input_json = replace(input_json, 'seat', 'bed'), digest = 'forged'",
      ),
    words: notVerified,
  },
  {
    what: "another answer than the one that was given",
    forge: (trips) =>
      setRow(trips, trips.rome.question.id, "response_json = replace(response_json, 'aisle', 'window')"),
    words: notVerified,
  },
  {
    what: "the answer to another call, with its proof",
    answered: false,
    async forge(trips) {
      const { oslo, rome, sql } = trips;
      await trips.respond(oslo.question, aisle);
      await sql`
        update countersign.approvals as mine set status = given.status, decision_type = given.decision_type,
          decided_by = given.decided_by, decided_roles = given.decided_roles, decided_at = given.decided_at,
          response_json = given.response_json
        from countersign.approvals as given where mine.id = ${rome.question.id} and given.id = ${oslo.question.id}`;
      await sql`
        update countersign.evidence set approval_id = ${rome.question.id} where approval_id = ${oslo.question.id}`;
    },
    words: notVerified,
  },
];

it.each(forgeries.map((forgery) => [forgery.what, forgery] as const))(
  "a forgery (%s) sends nothing to the server, and the model reads why",
  async (_what, forgery) => {
    await using site = await tripSite();
    await using trips = await twoTrips(site, firstKey);
    const { rome } = trips;
    await trips.meanwhile(async () => {
      if (forgery.answered !== false) {
        expect((await trips.respond(rome.question, aisle)).status).toBe(200);
      }
      await forgery.forge(trips);
    });
    expect(await trips.modelInput(rome, "Rome")).toContain(forgery.words);
    const sent = site.calls().filter((call) => Object(call.arguments).trip === "Rome");
    expect(sent.map(({ inputResponses }) => inputResponses)).toEqual([undefined]);
    expect(site.deeds.filter(({ trip }) => trip === "Rome")).toEqual([]);
  },
);

it("both calls continue if nothing is forged", async () => {
  await using site = await tripSite();
  await using trips = await twoTrips(site, firstKey);
  const { oslo, rome } = trips;
  await trips.meanwhile(async () => {
    await trips.respond(oslo.question, aisle);
    await trips.respond(rome.question, aisle);
  });
  expect(await trips.modelInput(rome, "Rome")).toContain("booked Rome, aisle");
  expect(await trips.modelInput(oslo, "Oslo")).toContain("booked Oslo, aisle");
  expect(site.deeds).toHaveLength(2);
});

it("a server that reuses another call's state gets it back with this call and refuses it", async () => {
  await using site = await tripSite();
  site.after = (text) => text.replace(/"requestState":"[^"]+"/, `"requestState":"${site.states()[0]}"`);
  await using trips = await twoTrips(site);
  const { oslo, rome } = trips;
  await trips.respond(oslo.question, aisle);
  expect(await trips.modelInput(oslo, "Oslo")).toContain("booked Oslo, aisle");
  await trips.respond(rome.question, aisle);
  expect(await trips.modelInput(rome, "Rome")).toContain("this state was used before");
  expect(site.calls().at(-1)).toMatchObject({ arguments: { trip: "Rome" }, requestState: site.states()[0] });
  expect(site.deeds).toHaveLength(1);
});
