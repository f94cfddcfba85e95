import {
  type Conversation,
  createTestHarness,
  type HarnessParts,
  type Reply,
  type TestHarnessOptions,
} from "@countersign/testing";
import { createAgent, createNetwork, createTool, type Network, openai } from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";

interface Billing {
  userId: string;
  tenant?: string;
  plan?: string;
}

const policy = definePolicy({
  tools: { look_up: allow(), refund: ask({ approvers: { roles: ["finance"] } }) },
});

/** An application's own network: an agent that looks up, then one that refunds, chosen by a router. */
function billingNetwork(refunds: string[]) {
  return ({ countersign, model }: Pick<HarnessParts, "countersign" | "model">): Network<Billing> => {
    const triage = createAgent<Billing>({
      name: "triage",
      system: "You look things up.",
      model,
      tools: [
        createTool({
          name: "look_up",
          parameters: z.object({}),
          handler: (_input, { network }) => {
            network.state.data.plan = "gold";
            return { userId: network.state.data.userId };
          },
        }),
      ],
    });
    const billing = createAgent<Billing>({
      name: "billing",
      system: "You refund.",
      model,
      tools: [
        createTool({
          name: "refund",
          parameters: z.object({ amount: z.number() }),
          handler: ({ amount }, { network }) => {
            refunds.push(`${network.state.data.userId} ${amount}`);
          },
        }),
      ],
    });
    return createNetwork<Billing>({
      name: "support",
      agents: [triage, billing],
      maxIter: 8,
      history: countersign.history,
      router: ({ callCount, lastResult }) => {
        if (callCount === 0) return triage;
        const called = lastResult?.toolCalls.length ?? 0;
        return called > 0 ? billing : undefined;
      },
    });
  };
}

/** The offered tools show which agent makes the request. */
function reply({ messages, tools }: Conversation): Reply {
  const name = tools[0]?.name;
  if (messages.at(-1)?.role === "user" && name === "look_up") return { toolCalls: [{ name, input: {} }] };
  const refunded = messages.findLast((turn) => turn.role === "tool")?.toolName === "refund";
  return name === "refund" && !refunded
    ? { toolCalls: [{ name, input: { amount: 80 } }] }
    : { text: "That was it." };
}

async function openDesk(options: Partial<TestHarnessOptions<Billing>> = {}) {
  const refunds: string[] = [];
  const desk = await createTestHarness<Billing>({
    patience: "60s",
    policy,
    network: billingNetwork(refunds),
    state: { userId: "maria" },
    context: ({ state }) => ({
      requester: { id: state.data.userId },
      ...(state.data.tenant !== undefined && { tenantId: state.data.tenant }),
    }),
    reply,
    ...options,
  });
  return { desk, refunds };
}

describe("a harness with the application's own network", () => {
  it.each(["openai", "anthropic"] as const)(
    "runs its agents, router, state and history (%s)",
    async (format) => {
      const { desk, refunds } = await openDesk({ format });
      await using _ = desk;
      const turn = await desk.say("Refund my order");
      const [call] = await turn.pending();
      expect(call).toMatchObject({ toolName: "refund", agentName: "billing", requesterId: "maria" });
      expect(await desk.decide(call, { type: "approve" })).toMatchObject({ ok: true });
      expect(await turn.ended()).toEqual({ userId: "maria", plan: "gold" });
      expect(refunds).toEqual(["maria 80"]);
      expect((await turn.messages()).map(({ role }) => role)).toEqual([
        ...["user", "assistant", "tool", "assistant", "tool", "assistant"],
      ]);

      const next = await turn.say("And the other order");
      expect(next.threadId).toBe(turn.threadId);
      const [second] = await next.pending();
      await desk.decide(second, { type: "deny", reason: "Once is enough" });
      await next.ended();
      expect(refunds).toHaveLength(1);
      await desk.assertValidTranscripts();
    },
  );

  it("returns the calls of a conversation for its turn, and all calls for the harness", async () => {
    const { desk, refunds } = await openDesk();
    await using _ = desk;
    const maria = await desk.say("Refund my order");
    const omar = await desk.say("Refund my order", { state: { userId: "omar" } });
    const [hers] = await maria.pending();
    const [his] = await omar.pending();
    expect([hers.requesterId, his.requesterId]).toEqual(["maria", "omar"]);
    expect(await maria.pending()).toHaveLength(1);
    // `pending` waits until there are at least so many calls, and returns all of them.
    expect(await desk.pending(2)).toHaveLength(2);
    expect(await desk.pending()).toHaveLength(2);
    await desk.decide(his, { type: "approve" });
    await omar.ended();
    expect(refunds).toEqual(["omar 80"]);
    expect((await desk.approval(hers)).status).toBe("pending");
  });

  it("serves several tenants, whose approvers do not see each other's calls", async () => {
    const { desk } = await openDesk({
      tenantId: "acme",
      people: {
        ada: { id: "ada", roles: ["finance"] },
        olga: { id: "olga", roles: ["finance"], tenantId: "other" },
      },
    });
    await using _ = desk;
    const turn = await desk.say("Refund my order", { state: { userId: "maria", tenant: "other" } });
    const [call] = await turn.pending();
    expect(call.tenantId).toBe("other");
    expect(await desk.decide(call, { by: "ada", type: "approve" })).toMatchObject({ code: "not_found" });
    expect(await desk.decide(call, { by: "olga", type: "approve" })).toMatchObject({ ok: true });
    await turn.ended();
    expect((await desk.audit({ tenantId: "other" })).length).toBeGreaterThan(0);
    expect(await desk.audit()).toEqual([]);
  });

  it("applies thread rules to a single conversation", async () => {
    const { desk, refunds } = await openDesk();
    await using _ = desk;
    const threadRules = [{ tools: "refund", verdict: "deny", reason: "Frozen account" }];
    await (await desk.say("Refund my order", { threadRules })).ended();
    expect(refunds).toEqual([]);
    const free = await desk.say("Refund my order");
    expect(await free.pending()).toHaveLength(1);
  });

  it("answers the model calls of agents that keep their production models", async () => {
    const { desk } = await openDesk({
      network: ({ countersign }) =>
        billingNetwork([])({
          countersign,
          model: openai({ model: "gpt-4o", apiKey: "", baseUrl: "https://gateway.example/openai/v1" }),
        }),
    });
    await using _ = desk;
    const turn = await desk.say("Refund my order");
    expect(await turn.pending()).toHaveLength(1);
  });

  it("refuses conflicting and invalid options, and names them", async () => {
    await expect(openDesk({ tools: [] })).rejects.toThrow(
      "tools and agent: configure the harness's own agent",
    );
    await expect(openDesk({ requester: { id: "zoe" } })).rejects.toThrow(
      "requester: is provided by `context`",
    );
    await expect(openDesk({ patience: "soon" })).rejects.toThrow('patience: "soon" is not a duration');
    const { desk } = await openDesk();
    await using _ = desk;
    await expect(desk.say("Hello", { tenantId: "other" })).rejects.toThrow(
      "requester and tenantId: are provided by `context`",
    );
  });
});
