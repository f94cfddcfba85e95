import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { ask, definePolicy } from "countersign";
import { afterAll, beforeAll, expect, it } from "vitest";
import { interceptedStore } from "../support/intercepted-store.js";
import { recordingChannel } from "../support/recording-channel.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const policy = definePolicy({
  tools: { refund: ask({ approvers: { roles: ["finance"] }, notify: ["test:#finance"] }) },
});

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

function recordedSpans() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const named = (name: string) =>
    exporter
      .getFinishedSpans()
      .filter((span) => span.name === `countersign.${name}`)
      .map(({ attributes, status }) => ({ attributes, status: status.code }));
  return { exporter, tracer: provider.getTracer("countersign"), named };
}

it("a call has a span for its proposal, its message, its decision, its claim and its handler", async () => {
  const { exporter, tracer, named } = recordedSpans();
  const { channel, sent } = recordingChannel();
  await using world = await openWaitingRefund({ policy, countersign: { channels: [channel], tracer } });
  const { harness, approval, runId } = world;
  await harness.onceAtRest(async () => sent[0], "the message");
  await harness.decide(approval, "approve");
  await harness.ended(runId);
  const tenant = { "countersign.tenant.id": "acme" };
  const call = { ...tenant, "countersign.approval.id": approval.id, "countersign.tool.name": "refund" };
  expect(named("propose")).toEqual([
    {
      status: 0,
      attributes: {
        ...tenant,
        "countersign.request.id": approval.requestId,
        "countersign.approval.ids": [approval.id],
        "countersign.tool.names": ["refund"],
        "countersign.verdicts": ["ask"],
      },
    },
  ]);
  const verdict = { "countersign.verdict": "ask" };
  expect(named("decide")).toEqual([
    {
      status: 0,
      attributes: {
        ...call,
        ...verdict,
        "countersign.decision": "approve",
        "countersign.outcome": "decided",
      },
    },
  ]);
  expect(named("claim")).toEqual([
    { status: 0, attributes: { ...call, ...verdict, "countersign.outcome": "claimed" } },
  ]);
  expect(named("handler")).toEqual([
    {
      status: 0,
      attributes: {
        ...call,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "refund",
        "gen_ai.tool.call.id": approval.toolCallId,
      },
    },
  ]);
  expect(named("deliver")[0]).toMatchObject({
    attributes: { ...call, "countersign.channel": "test", "countersign.outcome": "sent" },
  });
  // Neither the arguments nor the people are in any of them.
  const all = JSON.stringify(
    exporter.getFinishedSpans().map(({ name, attributes }) => ({ name, attributes })),
  );
  expect(all).not.toMatch(/A-1|requester|"finance"/);
});

it("the span of a handler has a link to the span of its call's proposal, in another trace", async () => {
  const { exporter, tracer } = recordedSpans();
  await using world = await openWaitingRefund({ countersign: { tracer } });
  await world.harness.decide(world.approval, "approve");
  await world.harness.ended(world.runId);
  const contextOf = (name: string) => spanOf(name)?.spanContext();
  const spanOf = (name: string) =>
    exporter.getFinishedSpans().find((span) => span.name === `countersign.${name}`);
  expect(spanOf("handler")?.links).toEqual([{ context: contextOf("propose") }]);
  expect(contextOf("handler")?.traceId).not.toBe(contextOf("propose")?.traceId);
});

it("spans are children of the span around them, and a failure has its code and not its message", async () => {
  const { exporter, tracer } = recordedSpans();
  let broken = false;
  await using world = await openWaitingRefund({
    countersign: { tracer },
    between: (store) =>
      interceptedStore(store, {
        decide: (decide, ...decision) => {
          if (broken) throw Object.assign(new Error("A-1 of rita"), { code: "broken_disk" });
          return decide(...decision);
        },
      }),
  });
  broken = true;
  const { harness, approval } = world;
  await tracer.startActiveSpan("request", async (outer) => {
    const principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
    const decision = {
      approvalId: approval.id,
      principal,
      type: "approve",
      digest: approval.digest,
      reason: null,
    } as const;
    await expect(harness.countersign.decide(decision)).rejects.toThrow("A-1 of rita");
    outer.end();
  });
  const spans = exporter.getFinishedSpans();
  const outer = spans.find(({ name }) => name === "request");
  const failed = spans.find(({ name }) => name === "countersign.decide");
  expect(failed?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
  expect(failed?.attributes).toMatchObject({ "error.type": "broken_disk" });
  expect(failed?.status).toEqual({ code: 2 });
  expect(failed?.events).toEqual([]);
});

it("the tracer of the API fits while no SDK is registered", async () => {
  await using world = await openWaitingRefund({ countersign: { tracer: trace.getTracer("countersign") } });
  await world.harness.decide(world.approval, "approve");
  await world.harness.ended(world.runId);
  expect(world.effects).toHaveLength(1);
});
