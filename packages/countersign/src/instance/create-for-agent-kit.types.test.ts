import { definePolicy } from "@countersign/policy/internal/policy/define-policy";
import { ask } from "@countersign/policy/internal/policy/rules/verdict";
import {
  type Agent,
  createAgent,
  createNetwork,
  createRoutingAgent,
  createState,
  createTool,
  type Network,
  type StateData,
} from "@inngest/agent-kit";
import { Inngest } from "inngest";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { pgliteStore } from "../pglite.js";
import type { Countersign } from "./agent-kit-countersign.js";
import { createCountersign } from "./create-for-agent-kit.js";

interface DeskState {
  userId: string;
  orders?: string[];
}

const inngest = new Inngest({ id: "desk", isDev: true });
const store = pgliteStore();
const policy = definePolicy({ tools: { refund: ask() } });

const refund = createTool({
  name: "refund",
  parameters: z.object({ id: z.string() }),
  handler: () => "done",
});
const agent = createAgent<DeskState>({ name: "support", system: "s", tools: [refund] });

describe("an instance with a typed state", () => {
  const countersign = createCountersign<DeskState>({
    inngest,
    store,
    policy,
    context: ({ state }) => {
      expectTypeOf(state.data).toEqualTypeOf<DeskState>();
      // @ts-expect-error a typing error in a field of the state
      void state.data.userID;
      return { requester: { id: state.data.userId } };
    },
  });

  it("has a history that fits networks and agents with a typed state", () => {
    const network = createNetwork<DeskState>({ name: "desk", agents: [agent], history: countersign.history });
    expectTypeOf(network).toEqualTypeOf<Network<DeskState>>();
    const inferred = createNetwork({ name: "desk", agents: [agent], history: countersign.history });
    expectTypeOf(inferred).toEqualTypeOf<Network<DeskState>>();
    const alone = createAgent<DeskState>({ name: "alone", system: "s", history: countersign.history });
    expectTypeOf(alone).toEqualTypeOf<Agent<DeskState>>();
    const untyped = createNetwork({
      name: "desk",
      agents: [createAgent({ name: "a", system: "s" })],
      history: countersign.history,
    });
    expectTypeOf(untyped.run).toBeCallableWith("hello", { state: createState<StateData>({}) });
  });

  it("guards agents and networks, and returns their type", () => {
    const guarded = countersign.guard(createNetwork<DeskState>({ name: "desk", agents: [agent] }));
    expectTypeOf(guarded).toEqualTypeOf<Network<DeskState>>();
    const router = createRoutingAgent<DeskState>({
      name: "router",
      system: "s",
      lifecycle: { onRoute: () => undefined },
    });
    expectTypeOf(countersign.guard(router)).toEqualTypeOf<typeof router>();
    // @ts-expect-error a tool is no agent
    expect(() => countersign.guard(refund)).toThrow("guard() requires");
    // @ts-expect-error a name is no agent
    expect(() => countersign.guard("support")).toThrow("guard() requires");
  });

  it("is assignable to Countersign", () => {
    expectTypeOf(countersign).toExtend<Countersign>();
  });
});

describe("an instance", () => {
  const countersign = createCountersign({ inngest, store, policy });
  const request = { action: "drop table", details: {} };

  it("accepts in requireApproval only the step of an Inngest function or of a tool's handler", () => {
    inngest.createFunction({ id: "drop", triggers: [{ event: "drop" }] }, async ({ step }) => {
      const answer = await countersign.requireApproval(step, request);
      expectTypeOf(answer.approved).toEqualTypeOf<boolean>();
      // @ts-expect-error no step tools
      return () => countersign.requireApproval({}, request);
    });
    createTool({
      name: "drop",
      handler: async (_input, { step }) => {
        if (step) await countersign.requireApproval(step, request);
        // @ts-expect-error outside an Inngest function there is no step
        return () => countersign.requireApproval(step, request);
      },
    });
  });

  it("knows the fields and types of a decision in decide", () => {
    const decide: Countersign["decide"] = countersign.decide;
    expectTypeOf(decide).parameter(0).toHaveProperty("approvalId");
    const principal = { id: "ada", tenantId: "default", roles: [] };
    // @ts-expect-error "approved" is no type of decision
    void (() => decide({ approvalId: "a", principal, digest: "d", reason: null, type: "approved" }));
  });
});
