import { CountersignError, type Principal } from "countersign";
import fc from "fast-check";
import { expect } from "vitest";
import {
  budget,
  type Call,
  isAnswerFor,
  isUnderWay,
  type Model,
  mayVote,
  people,
  type Undo,
  vote,
  ways,
} from "./model.js";
import { Crash, type CrashPoint, type World } from "./world.js";

/** What somebody does, and what the model says about it. */
export interface Act {
  name: string;
  /** Carries it out in the model and in the real system, and checks what the system answers. */
  perform(model: Model, world: World): Promise<void>;
}

/** Chooses an act in the model's present state; `undefined` if there is nothing to act on. */
export type Choice = (model: Model) => Act | undefined;

const minute = 60_000;
const hour = 60 * minute;
/** Approved calls that do not start expire after a day, which no life lasts. */
const longestLife = 20 * hour;
const [finn, fay, flo] = people as [Principal, Principal, Principal];

/** The code of the error that an act ended with, or what it returned. */
async function answerOf<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Crash) return `died ${error.message}`;
    if (CountersignError.isInstance(error)) return error.code;
    throw error;
  }
}

const aim = fc.nat({ max: 999 });

function choose<Item>(from: readonly Item[], number: number): Item | undefined {
  return from.length === 0 ? undefined : from[number % from.length];
}

/** Acts on a recent call; three of four choices take one for which `isLikely` is true. */
function about<Details>(
  details: fc.Arbitrary<Details>,
  isLikely: (call: Call, model: Model) => boolean,
  act: (call: Call, details: Details, model: Model) => Act | undefined,
): fc.Arbitrary<Choice> {
  return fc.record({ number: aim, details }).map(({ number, details }) => (model) => {
    const all = [...model.calls.values()].reverse().slice(0, 4);
    const likely = all.filter((call) => isLikely(call, model));
    const call = choose(number % 4 > 0 ? likely : all, Math.floor(number / 4));
    return call && act(call, details, model);
  });
}

export const bookings: fc.Arbitrary<Choice> = fc
  .record({
    way: fc.constantFrom(...ways, "one" as const, "two" as const),
    amount: fc.integer({ min: 5, max: 60 }),
    status: fc.constantFrom("executed", "executed", "executed", "executed", "failed", "interrupted"),
    withinMs: fc.constantFrom(10 * minute, 10 * minute, 60 * minute, null, null, 0),
  })
  .map((booking) => (model) => {
    const name = `call${String(model.calls.size).padStart(2, "0")}`;
    const { amount, ...rest } = { ...booking, status: booking.status as Call["status"] };
    return {
      name: `run ${name}: ${JSON.stringify(booking)}`,
      async perform(model, world) {
        await world.book({ name, amount, ...rest });
        if (model.spent + amount <= budget) model.spent += amount;
        const id = `apr_${name}_0`;
        model.calls.set(id, { ...rest, id, endedAt: model.now, undo: null, isUndone: false, effects: 0 });
      },
    };
  });

function isUndoable(call: Call, model: Model): boolean {
  return model.refusalOf(call, finn) === undefined;
}

type AskingPoint = Extract<CrashPoint, "after-proposal" | "before-decision" | "after-decision">;

/** The answer to somebody who asks for an undo: an error's code, the crash, or the status of the undo. */
function predictAsking(model: Model, call: Call, who: Principal, crash: AskingPoint | null): string {
  const refusal = model.refusalOf(call, who);
  if (refusal !== undefined) return refusal;
  if (!call.undo || !isAnswerFor(who, call.undo)) {
    const undo = model.begin(call, who, crash !== "after-proposal");
    if (crash === "after-proposal") return `died ${crash}`;
    return predictVote(call, undo, who, crash);
  }
  model.announce(call.undo);
  if (mayVote(call, who) && crash !== "before-decision") {
    if (model.isStopped) return "stopped";
    if (model.expire(call.undo)) return "expired";
  }
  return predictVote(call, call.undo, who, crash);
}

function predictVote(call: Call, undo: Undo, who: Principal, crash: AskingPoint | null): string {
  if (!mayVote(call, who)) return undo.status;
  if (crash === "before-decision") return `died ${crash}`;
  const isDecided = vote(call, who);
  return isDecided && crash === "after-decision" ? `died ${crash}` : undo.status;
}

const statusOf = (answer: { status: string } | string) =>
  typeof answer === "string" ? answer : answer.status;

export const requests: fc.Arbitrary<Choice> = about(
  fc.record({
    who: fc.constantFrom(...people, finn, fay, flo),
    crash: fc.constantFrom<(AskingPoint | null)[]>(
      ...[null, null, null, "after-proposal" as const, "before-decision" as const, "after-decision" as const],
    ),
  }),
  isUndoable,
  (call, { who, crash }) => ({
    name: `${who.id} asks for the undo of ${call.id}${crash ? `; the process dies ${crash}` : ""}`,
    async perform(model, world) {
      const expected = predictAsking(model, call, who, crash);
      const answer = await answerOf(world.dyingAt(crash, () => world.ask(call.id, who)));
      expect(statusOf(answer)).toBe(expected);
    },
  }),
);

/** Two people ask at once, in two processes. */
export const racingRequests: fc.Arbitrary<Choice> = about(
  fc.shuffledSubarray([finn, fay, flo], { minLength: 2, maxLength: 2 }),
  (call, model) => isUndoable(call, model) && !(call.undo && isUnderWay(call.undo)),
  (call, [first = finn, second = fay], model) => {
    // An undo that is overdue expires for one of the two, who may then ask for another one.
    if (call.undo && model.expire({ ...call.undo })) return undefined;
    return {
      name: `${first.id} and ${second.id} ask at once for the undo of ${call.id}`,
      async perform(model, world) {
        const mayBoth = [first, second].every((who) => mayVote(call, who));
        const expected = [first, second].map((who) => predictAsking(model, call, who, null));
        const answers = await Promise.all(
          ([first, second] as const).map((who, process) =>
            answerOf(world.ask(call.id, who, process === 0 ? 0 : 1)),
          ),
        );
        const isRefused = expected.some((each) => each === "not_undoable" || each === "stopped");
        if (isRefused) expect(answers.map(statusOf)).toEqual(expected);
        else for (const answer of answers) expect(answer).toBeTypeOf("object");
        const votes = call.undo?.votes;
        const [real] = (await world.read()).filter(({ id }) => id === call.id);
        // Either of the two may have asked first.
        if (call.undo && real?.asked) call.undo.askedBy = real.asked;
        // Where one vote was missing, either of the two may have given it.
        if (mayBoth && votes && !votes.has(second.id) && real?.votes.includes(second.id)) {
          votes.delete(first.id);
          votes.add(second.id);
        }
      },
    };
  },
);

export const decisions: fc.Arbitrary<Choice> = about(
  fc.record({
    who: aim,
    type: fc.constantFrom("approve" as const, "approve" as const, "deny" as const),
    crash: fc.constantFrom<("before-decision" | "after-decision" | null)[]>(
      ...[null, null, "before-decision" as const, "after-decision" as const],
    ),
  }),
  ({ undo }) => undo?.status === "pending",
  (call, { who: number, type, crash }) => {
    const who = choose(
      people.filter((person) => mayVote(call, person)),
      number,
    );
    if (!who) return undefined;
    return {
      name: `${who.id}: ${type} the undo of ${call.id}${crash ? `; the process dies ${crash}` : ""}`,
      async perform(model, world) {
        const answer = await answerOf(world.dyingAt(crash, () => world.decide(call.id, who, type)));
        const { undo } = call;
        if (!undo) throw new Error("unreachable: only people who may vote decide");
        if (crash === "before-decision") return expect(answer).toBe(`died ${crash}`);
        if (type === "approve" && model.isStopped) return expect(answer).toBe("stopped");
        if (model.expire(undo)) return expect(answer).toBe("expired");
        if (type === "deny") undo.status = "denied";
        const isDecided = type === "deny" || vote(call, who);
        const died = isDecided && crash === "after-decision";
        expect(statusOf(answer)).toBe(died ? `died ${crash}` : undo.status);
      },
    };
  },
);

type RunningPoint = Extract<CrashPoint, "before-claim" | "after-claim" | "after-handler" | "after-record">;

/** What becomes of an undo whose function runs; returns where the process dies. */
function predictRun(model: Model, call: Call, undo: Undo, crash: RunningPoint | null, fails: boolean) {
  model.announce(undo);
  model.expire(undo);
  if (undo.status !== "approved" && undo.status !== "executing") return undefined;
  if (crash === "before-claim") return crash;
  if (undo.status === "executing") return model.finish(call, undo, "interrupted");
  if (model.isStopped) {
    undo.status = "withdrawn";
    return undefined;
  }
  undo.status = "executing";
  undo.startedAt = model.now;
  if (crash === "after-claim") return crash;
  if (!fails) call.effects += 1;
  if (crash === "after-handler") return crash;
  model.finish(call, undo, fails ? "failed" : "executed");
  return crash ?? undefined;
}

export const runs: fc.Arbitrary<Choice> = about(
  fc.record({
    crash: fc.constantFrom<(RunningPoint | null)[]>(
      ...[null, null, null, null, "before-claim" as const, "after-claim" as const],
      ...["after-handler" as const, "after-handler" as const, "after-record" as const],
    ),
    fails: fc.constantFrom(false, false, false, true),
  }),
  ({ undo }) => undo?.status === "approved" || undo?.status === "executing",
  (call, { crash, fails }) => {
    const { undo } = call;
    if (!undo) return undefined;
    return {
      name: `the undo of ${call.id} runs${fails ? " and fails" : ""}${crash ? `; the process dies ${crash}` : ""}`,
      async perform(model, world) {
        const died = predictRun(model, call, undo, crash, fails);
        const answer = await answerOf(
          world.dyingAt(crash, () => world.failing(fails, () => world.run(call.id))),
        );
        expect(answer).toBe(died ? `died ${died}` : undefined);
      },
    };
  },
);

/** The engine has two processes run the same undo at once. The second one may take the first for dead. */
export const racingRuns: fc.Arbitrary<Choice> = about(
  fc.constant(null),
  ({ undo }) => undo?.status === "approved",
  (call) => {
    const { undo } = call;
    if (!undo) return undefined;
    return {
      name: `the undo of ${call.id} runs in two processes at once`,
      async perform(model, world) {
        const wasApproved = undo.status === "approved" && !model.isStopped;
        predictRun(model, call, undo, null, false);
        await Promise.all([world.run(call.id, 0), world.run(call.id, 1)]);
        const [real] = (await world.read()).filter(({ id }) => id === call.id);
        if (wasApproved && real?.undo === "interrupted") {
          undo.status = "interrupted";
          call.isUndone = false;
        }
      },
    };
  },
);

/** A person, or two at once, record what they found out about an interrupted undo. */
export const resolutions: fc.Arbitrary<Choice> = about(
  fc.shuffledSubarray(["done" as const, "failed" as const], { minLength: 1, maxLength: 2 }),
  ({ undo }) => undo?.status === "interrupted" && undo.resolution === null,
  (call, outcomes) => {
    const { undo } = call;
    if (undo?.status !== "interrupted" || undo.resolution !== null) return undefined;
    return {
      name: `the interrupted undo of ${call.id} is resolved as ${outcomes.join(" and at once as ")}`,
      async perform(_model, world) {
        // A lead decides about this undo, others about all others.
        const who = [fay, call.way === "lead" ? (people[3] ?? fay) : flo] as const;
        const answers = await Promise.all(
          outcomes.map((outcome, index) => answerOf(world.resolve(call.id, who[index] ?? fay, outcome))),
        );
        const refused = answers.filter((answer) => answer === "already_resolved");
        expect(refused).toHaveLength(outcomes.length - 1);
        undo.resolution = outcomes[answers.findIndex((answer) => typeof answer === "object")] ?? null;
        if (undo.resolution === "done") call.isUndone = true;
      },
    };
  },
);

export const stops: fc.Arbitrary<Choice> = fc.constant(({ isStopped }) =>
  isStopped ? undefined : { name: "an operator stops undos", perform: engage },
);

export const releases: fc.Arbitrary<Choice> = fc.constant(({ isStopped }) =>
  isStopped ? { name: "an operator lets undos go on", perform: release } : undefined,
);

async function engage(model: Model, world: World): Promise<void> {
  await world.stop();
  model.isStopped = true;
}

async function release(model: Model, world: World): Promise<void> {
  await world.release();
  model.isStopped = false;
}

export const sweeps: fc.Arbitrary<Choice> = fc.constant(() => ({
  name: "sweep",
  async perform(model, world) {
    await world.sweep();
    for (const call of model.calls.values()) {
      const { undo } = call;
      if (!undo) continue;
      model.expire(undo, minute + 1);
      const isEndless = undo.status === "executing" && (undo.startedAt ?? 0) + hour < model.now;
      if (isEndless) model.finish(call, undo, "interrupted");
    }
  },
}));

export const time: fc.Arbitrary<Choice> = fc.constantFrom(4, 9, 11, 21, 65).map((minutes) => ({ now }) => {
  if (now + minutes * minute > longestLife) return undefined;
  return {
    name: `${minutes} minutes pass`,
    async perform(model, world) {
      model.now += minutes * minute;
      await world.setTime(model.now);
    },
  };
});
