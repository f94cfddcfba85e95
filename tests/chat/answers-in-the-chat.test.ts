import { createAgent, createNetwork, createState, type StateData } from "@inngest/agent-kit";
import { ask, definePolicy, notify } from "countersign";
import { describe, expect, it } from "vitest";
import { openChattingDesk } from "../support/chat/chatting-desk.js";
import { inTurns } from "../support/desk-tools.js";
import { eventually } from "../support/harness.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const email = { name: "email", input: { to: "a@example.com", text: "On its way" } };

describe("an approval in a chat", () => {
  it("is requested although another call of the response is already approved", async () => {
    await using desk = await openChattingDesk({
      policy: definePolicy({
        tools: { email: notify(), refund: ask({ approvers: { roles: ["requester", "finance"] } }) },
      }),
      reply: inTurns({ toolCalls: [email, refund] }),
    });
    const session = desk.open();
    await session.chat.sendMessage({ text: "Refund A-1 and tell the customer" });
    const asked = await session.toolIn("approval-requested", "refund");
    expect(session.toolParts()).toHaveLength(1);
    expect(session.cards()).toMatchObject([
      { data: { toolName: "email", status: "approved" } },
      { data: { toolName: "refund", status: "pending" } },
    ]);

    await session.chat.addToolApprovalResponse({ id: asked.approval?.id ?? "", approved: true });
    await session.toolIn("output-available", "refund");
    await session.toolIn("output-available", "email");
    await session.ready();
    expect(desk.effects.map(({ tool }) => tool)).toEqual(["email", "refund"]);
  });
});

describe("a chat", () => {
  it("sends nothing automatically when a turn ends with a tool result", async () => {
    await using desk = await openChattingDesk({
      reply: inTurns({ toolCalls: [{ name: "lookup", input: { id: "A-1" } }] }),
      network(network) {
        network.maxIter = 1;
        return undefined;
      },
    });
    const session = desk.open();
    await session.chat.sendMessage({ text: "Look up A-1" });
    expect(session.toolParts()).toMatchObject([{ state: "output-available", output: { total: 80 } }]);
    expect(session.posted).toHaveLength(1);

    await session.chat.sendMessage();
    expect(session.chat.status).toBe("ready");
    expect(session.posted).toHaveLength(2);
  });

  it("sends the answers for two parallel agents in one request", async () => {
    await using desk = await openChattingDesk({
      policy: definePolicy({ tools: { refund: ask(), email: ask() } }),
      reply: (conversation) => {
        const { role } = conversation.messages.at(-1) ?? {};
        const asked = conversation.messages.flatMap((turn) => (turn.role === "user" ? turn.text : [])).at(-1);
        if (role !== "user") return { text: `${asked}: done.` };
        return { text: `${asked}:`, toolCalls: [asked === "Refund A-1" ? refund : email] };
      },
      async run({ countersign, agent, models, state, message }) {
        const network = (name: string) => {
          const one = createAgent<StateData>({
            name,
            system: "You help customers.",
            tools: [...agent.tools.values()],
            model: models.openai(),
          });
          const created = createNetwork<StateData>({
            name,
            agents: [one],
            history: countersign.history,
            router: ({ lastResult, callCount }) =>
              callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call")
                ? one
                : undefined,
          });
          countersign.guard(created);
          return created;
        };
        const own = () => createState<StateData>({ ...state.data }, { threadId: state.threadId ?? "" });
        await Promise.all([
          network("clerk").run(message, { state: own() }),
          network("writer").run("Tell the customer", { state: own() }),
        ]);
      },
    });
    const { id, ...first } = desk.open();
    void first.chat.sendMessage({ text: "Refund A-1" });
    await desk.harness.pending(2);

    const session = desk.open(id);
    await session.chat.resumeStream();
    const asked = session.toolParts().filter(({ state }) => state === "approval-requested");
    expect(asked).toHaveLength(2);
    for (const { approval } of asked.toReversed()) {
      await session.chat.addToolApprovalResponse({ id: approval?.id ?? "", approved: true });
    }
    await eventually(() => desk.effects.length === 2 || undefined, "both calls to run");
    await session.ready();
    expect(session.toolParts().map(({ state }) => state)).toEqual(["output-available", "output-available"]);
    expect(session.posted).toHaveLength(1);
  });
});
