import assert from "node:assert/strict";
import { z } from "zod";
import type { ProbeScenario } from "./probe-scenario.js";
import { isSorted, numbers, texts, untidy } from "./untidy.js";

const failure = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** What a server does to events, outputs of steps, results and errors. */
export const dataScenarios: ProbeScenario[] = [
  {
    name: "keys of an event",
    expects: "sends events with sorted keys (RFC 8785), whatever their order was",
    async play(probe) {
      const key = await probe.start("event", untidy);
      const data = await probe.noted(key, "event");
      assert.deepEqual(data, { ...untidy, key });
      assert.ok(isSorted(data), `the keys came as ${JSON.stringify(data)}`);
    },
  },
  {
    name: "keys of a step's output",
    expects: "sends the outputs of steps back with sorted keys (RFC 8785)",
    async play(probe) {
      const output = await probe.noted(await probe.start("output"), "output");
      assert.deepEqual(output, untidy);
      assert.ok(isSorted(output), `the keys came as ${JSON.stringify(output)}`);
    },
  },
  {
    name: "keys of an invoked run",
    expects: "sends the payload to the invoked run, and its result back, with sorted keys (RFC 8785)",
    async play(probe) {
      const key = await probe.start("invoke");
      const result = await probe.noted(key, "result");
      assert.deepEqual(result, untidy);
      assert.ok(isSorted(result), `the result came as ${JSON.stringify(result)}`);
      const [request] = await probe.requestsOf(`${key}-child`);
      assert.ok(isSorted(request?.body.event), `the payload came as ${JSON.stringify(request?.body.event)}`);
    },
  },
  {
    name: "numbers",
    expects: "keeps each number as a double, neither rounded further nor as text",
    async play(probe) {
      const key = await probe.start("event", numbers);
      assert.deepEqual(await probe.noted(key, "event"), { ...numbers, key });
    },
  },
  {
    name: "texts",
    expects: "keeps texts with NUL, emoji, markup and line separators",
    async play(probe) {
      const key = await probe.start("event", texts);
      assert.deepEqual(await probe.noted(key, "event"), { ...texts, key });
    },
  },
  {
    name: "fields named __proto__",
    expects: "passes a field named __proto__ on like any other",
    async play(probe) {
      const key = await probe.start("event", JSON.parse('{"__proto__":{"a":1},"in":{"__proto__":{"a":1}}}'));
      const [request] = await probe.requestsOf(key);
      assert.match(
        JSON.stringify(request?.body.event.data),
        /^{"__proto__":{"a":1},"in":{"__proto__":{"a":1}},/,
      );
    },
  },
  {
    name: "unpaired surrogate in an event",
    expects: "replaces an unpaired surrogate in an event by U+FFFD",
    async play(probe) {
      const key = await probe.start("event", { text: "a\ud800b" });
      assert.deepEqual(await probe.noted(key, "event"), { text: "a\ufffdb", key });
    },
  },
  {
    name: "unpaired surrogate in a step's output",
    expects: "fails the run whose step has an output with an unpaired surrogate",
    async play(probe) {
      const key = await probe.start("surrogate");
      const { error } = failure.parse(await probe.noted(key, "saw-failed"));
      assert.match(error.message, /Missing surrogate/);
    },
  },
  {
    name: "nothing as a result",
    expects: "returns null for a step without a result, for a wait that timed out and for a sleep",
    async play(probe) {
      assert.deepEqual(await probe.noted(await probe.start("nothing"), "nothing"), [null, null, null]);
    },
  },
  {
    name: "error of a step",
    expects: "memoizes the name, message and cause of a step's error, and no other fields",
    async play(probe) {
      const error = await probe.noted(await probe.start("step-error"), "error");
      assert.deepEqual(error, { name: "TypeError", message: "broken", cause: "deep", code: undefined });
    },
  },
  {
    name: "error of an invoked run",
    expects: "throws the error of an invoked run with its name, message and cause, and no other fields",
    async play(probe) {
      const error = await probe.noted(await probe.start("invoke-error"), "error");
      assert.deepEqual(error, { name: "TypeError", message: "broken", cause: "deep", code: undefined });
    },
  },
  {
    name: "invoked run that takes too long",
    expects: "ends an invoke after its timeout with InngestInvokeTimeoutError",
    async play(probe) {
      const error = await probe.noted(await probe.start("invoke-timeout"), "error");
      assert.equal(z.looseObject({ name: z.string() }).parse(error).name, "InngestInvokeTimeoutError");
    },
  },
  {
    name: "event of a failed run",
    expects:
      "sends inngest/function.failed with the error's name, message, stack and cause, and no other fields",
    async play(probe) {
      const key = await probe.start("fails");
      const { error } = failure.parse(await probe.noted(key, "saw-failed"));
      assert.equal(error.message, "broken");
      assert.deepEqual(Object.keys(error).sort(), ["cause", "error", "message", "name", "stack"]);
    },
  },
  {
    name: "event without data",
    expects: "starts a run with null as event.data if the event has no data",
    async play(probe) {
      const before = probe.notesOf("undefined", "event").length;
      await probe.send({ name: "conformance/event" });
      await probe.noted("undefined", "event", before + 1);
      const [request] = (await probe.requestsOf("undefined")).slice(-1);
      assert.equal(request?.body.event.data, null);
    },
  },
  {
    name: "state beyond 4 MiB",
    expects:
      "lets the SDK fetch the results of steps of more than 4 MiB, with sorted keys and U+FFFD for unpaired surrogates",
    async play(probe) {
      const key = await probe.start("large-state");
      const parts = z.array(z.looseObject({})).parse(await probe.noted(key, "parts"));
      const last = (await probe.requestsOf(key)).at(-1);
      assert.deepEqual([last?.body.ctx.use_api, last?.body.steps], [true, {}]);
      assert.equal(parts.length, 5);
      for (const part of parts) {
        assert.equal(part.mark, "a\ufffdb");
        assert.ok(isSorted(part), `the keys came as ${JSON.stringify(part)}`);
      }
    },
  },
];
