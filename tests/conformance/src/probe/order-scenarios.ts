import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { until } from "../until.js";
import type { Probe } from "./probe.js";
import type { ProbeScenario } from "./probe-scenario.js";

const sent = z.looseObject({ ids: z.array(z.string()) });
const tries = z.array(z.object({ attempt: z.number(), at: z.number() }));
const ended = z.looseObject({ function_id: z.string() });
const finished = z.looseObject({ _inngest: z.looseObject({ status: z.string() }) });

/** Starts a function that waits for an event, and resolves when its waits are registered. */
async function startWaiting(probe: Probe, more: { if?: string; timeout?: string }): Promise<string> {
  const key = await probe.start("wait", { timeout: "10s", ...more });
  await probe.noted(key, "waits");
  return key;
}

/** Sends the awaited event again and again until the waits have ended, because nothing tells when they are registered. */
async function awaitedData(probe: Probe, key: string, data: Record<string, unknown>): Promise<unknown> {
  await probe.until("the waits end", async () => {
    if (probe.notesOf(key, "awaited").length > 0) return true;
    await probe.send({ name: `conformance/awaited-${key}`, data });
    return undefined;
  });
  return probe.notesOf(key, "awaited").at(-1);
}

/** What a server does to order: of events, waits, steps, retries and checkpoints. */
export const orderScenarios: ProbeScenario[] = [
  {
    name: "invalid event in a batch",
    expects: "takes the events of a batch before an invalid one, none behind it, and answers 400",
    async play(probe) {
      const [before, after] = [randomUUID(), randomUUID()];
      const event = (key: string) => ({ name: "conformance/event", data: { key } });
      const { status, body } = await probe.send([event(before), { name: "", data: {} }, event(after)]);
      assert.equal(status, 400);
      assert.equal(sent.parse(JSON.parse(body)).ids.length, 1, body);
      await probe.noted(before, "event");
      await probe.noted(await probe.start("event"), "event");
      assert.deepEqual(probe.notesOf(after, "event"), []);
    },
  },
  {
    name: "times of events",
    expects: "refuses events from before 1980 and after 2100 with 400",
    async play(probe) {
      for (const ts of [1, Date.UTC(1979), Date.UTC(2101), 1.5]) {
        const { status } = await probe.send({ name: "conformance/event", data: {}, ts });
        assert.equal(status, 400, `an event with the time ${ts} was answered with ${status}`);
      }
    },
  },
  {
    name: "event from the future",
    expects: "starts the run of an event from the future at the event's time",
    async play(probe) {
      const ts = Date.now() + 2_000;
      const key = await probe.start("event", {}, { ts });
      await probe.noted(key, "event");
      assert.ok(Date.now() >= ts, `the run started ${ts - Date.now()} ms too early`);
    },
  },
  {
    name: "reserved names of events",
    expects: "refuses events whose names begin with inngest/",
    async play(probe) {
      for (const name of ["inngest/function.cancelled", "Inngest/Function.Cancelled"]) {
        assert.equal((await probe.send({ name, data: { run_id: "x" } })).status, 400);
      }
    },
  },
  {
    name: "missing fields in expressions",
    expects: "takes a missing field as null in expressions",
    async play(probe) {
      const key = await startWaiting(probe, {
        if: "async.data.missing != 'a' && !has(async.data.id) == false",
      });
      assert.deepEqual(await awaitedData(probe, key, { id: "b" }), [{ id: "b" }, { id: "b" }]);
    },
  },
  {
    name: "escapes in expressions",
    expects: "does not read escapes in the texts of expressions",
    async play(probe) {
      const key = await startWaiting(probe, { if: `async.data.id == "a\\"b"`, timeout: "2s" });
      assert.deepEqual(await awaitedData(probe, key, { id: 'a"b' }), [null, null]);
    },
  },
  {
    name: "one event for two waits",
    expects: "ends every wait that an event matches, also two of one run",
    async play(probe) {
      const key = await startWaiting(probe, {});
      assert.deepEqual(await awaitedData(probe, key, { n: 1 }), [{ n: 1 }, { n: 1 }]);
    },
  },
  {
    name: "event before its wait",
    expects: "does not keep an event for a wait that is registered later",
    async play(probe) {
      const key = await probe.start("wait", { timeout: "2s", pause: "2s" });
      await probe.noted(key, "run");
      await probe.send({ name: `conformance/awaited-${key}`, data: {} });
      assert.deepEqual(await probe.noted(key, "awaited"), [null, null]);
    },
  },
  {
    name: "cancelOn",
    expects: "cancels the run whose cancelOn expression an event matches, and no other",
    async play(probe) {
      const [one, other] = [await probe.start("cancellable"), await probe.start("cancellable")];
      await Promise.all([probe.noted(one, "run"), probe.noted(other, "run")]);
      await probe.send({ name: "conformance/cancel", data: { of: one } });
      await probe.noted(one, "saw-cancelled");
      assert.deepEqual(probe.notesOf(other, "saw-cancelled"), []);
      await probe.cancel(other);
      await probe.noted(other, "saw-cancelled");
    },
  },
  {
    name: "end of a cancelled run",
    expects: "sends inngest/function.finished for a cancelled run too",
    async play(probe) {
      const key = await probe.start("cancellable");
      await probe.cancel(key);
      const data = finished.parse(await probe.noted(key, "saw-finished"));
      assert.equal(data._inngest.status, "Cancelled");
      assert.ok(!("result" in data) && !("error" in data));
    },
  },
  {
    name: "end of a run that an end has started",
    expects:
      "sends no events about the end of a run that inngest/function.failed or inngest/function.finished started",
    async play(probe) {
      // The first key's run has long ended when the second one learns of its own.
      for (const data of [{ n: 1 }, { n: 2 }])
        await probe.noted(await probe.start("echo", data), "saw-finished");
      const told = z.array(ended).parse(probe.notesOf("undefined", "saw-finished"));
      assert.deepEqual(
        told.filter(({ function_id }) => function_id.endsWith("saw-finished")),
        [],
      );
    },
  },
  {
    name: "invoked run of a cancelled run",
    expects: "lets an invoked run go on when the run that invoked it is cancelled",
    async play(probe) {
      const key = await probe.start("parent");
      await probe.noted(`${key}-child`, "run");
      await probe.cancel(key);
      await probe.noted(`${key}-child`, "woke");
    },
  },
  {
    name: "steps in parallel",
    expects: "asks for each step of a response in a request of its own, in any order, and runs none twice",
    async play(probe) {
      const key = await probe.start("parallel");
      const output = { a: 1, z: 1 };
      const outputs = (await probe.noted(key, "outputs")) as unknown[];
      assert.deepEqual(
        outputs,
        ["one", "two", null, "three"].map((name) => name && { ...output, z: name }),
      );
      assert.deepEqual([...probe.notesOf(key, "entered")].sort(), ["one", "three", "two"]);
      const planned = (await probe.requestsOf(key)).filter(
        ({ body }) => body.ctx.disable_immediate_execution,
      );
      assert.ok(planned.length >= 3, `${planned.length} requests asked for single steps`);
    },
  },
  {
    name: "attempts of a step",
    expects: "counts attempts anew after a step has succeeded, and waits for as long as RetryAfterError says",
    async play(probe) {
      const key = await probe.start("flaky");
      await probe.noted(key, "done");
      for (const name of ["first", "second"]) {
        const [once, again, ...more] = tries.parse(probe.notesOf(key, name));
        assert.deepEqual([once?.attempt, again?.attempt, more], [0, 1, []], `the step ${name}`);
        const pause = (again?.at ?? 0) - (once?.at ?? 0);
        assert.ok(pause > 900, `it was tried again after ${Math.round(pause)} ms`);
      }
    },
  },
  {
    name: "error that is not retried",
    expects: "does not run a step again that threw a NonRetriableError",
    async play(probe) {
      const key = await probe.start("never-again");
      await probe.noted(key, "done");
      assert.equal(probe.notesOf(key, "entered").length, 1);
      const error = probe.notesOf(key, "error").at(-1);
      assert.equal(z.looseObject({ message: z.string() }).parse(error).message, "never again");
    },
  },
  {
    name: "checkpoint that comes twice",
    expects: "keeps the first output of a step when its checkpoint comes twice, and answers both with 200",
    async play(probe) {
      const key = await probe.start("checkpoint", { checkpoint: "twice" });
      assert.deepEqual(await probe.noted(key, "output"), { key, checkpoint: "twice", came: "first" });
      assert.deepEqual(probe.notesOf(key, "statuses"), [[200, 200]]);
      assert.equal(probe.notesOf(key, "entered").length, 1);
    },
  },
  {
    name: "checkpoint of a run that has ended",
    expects: "refuses the checkpoint of a run that has ended",
    async play(probe) {
      const key = await probe.start("checkpoint", { checkpoint: "twice" });
      await probe.noted(key, "done");
      const { url, body } = z
        .object({ url: z.string(), body: z.string() })
        .parse(probe.notesOf(key, "checkpoint")[0]);
      await until(async () => ((await probe.post(url, body)).status >= 400 ? true : undefined), {
        what: "the checkpoint of an ended run is refused",
        patienceMs: 20_000,
      });
    },
  },
  {
    name: "checkpoints that are lost",
    expects: "takes the output of a step from the response when all its checkpoints were lost",
    async play(probe) {
      const key = await probe.start("checkpoint", { checkpoint: "lost" });
      assert.deepEqual(await probe.noted(key, "output"), { key, checkpoint: "lost", came: "first" });
      assert.ok(probe.notesOf(key, "lost").length > 0);
      assert.equal(probe.notesOf(key, "entered").length, 1);
    },
  },
];
