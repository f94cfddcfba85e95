import { createTool } from "@inngest/agent-kit";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { definePolicy, type PolicyDefinition } from "./define-policy.js";
import { allow, ask, deny } from "./rules/verdict.js";

const refund = createTool({
  name: "issue_refund",
  parameters: z.object({
    orderId: z.string(),
    amount: z.number(),
    note: z.string().optional(),
    currency: z.string().default("EUR"),
  }),
  handler: () => "refunded",
});
const search = createTool({
  name: "search_orders",
  parameters: z.object({ filters: z.array(z.object({ field: z.enum(["id", "email"]), value: z.string() })) }),
  handler: () => "found",
});
const ping = createTool({ name: "ping", handler: () => "pong" });

describe("a policy with agentTools", () => {
  it("knows the tools' names and the types of their arguments", () => {
    const policy = definePolicy({
      agentTools: [refund, search, ping],
      tools: {
        issue_refund: ({ input, principal }) => {
          expectTypeOf(input.orderId).toEqualTypeOf<string>();
          expectTypeOf(input.amount).toEqualTypeOf<number>();
          expectTypeOf(input.note).toEqualTypeOf<string | undefined>();
          expectTypeOf(input.currency).toEqualTypeOf<string>();
          expectTypeOf(principal?.roles).toEqualTypeOf<readonly string[] | undefined>();
          return input.amount > 100 ? ask({ approvers: { roles: ["finance"] } }) : allow();
        },
        search_orders: ({ input }) => {
          expectTypeOf(input.filters[0]?.field).toEqualTypeOf<"id" | "email" | undefined>();
          return allow();
        },
        ping: allow(),
        "delete_*": deny(),
        "*": ({ input }) => {
          expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>();
          return ask();
        },
      },
      profiles: {
        strict: { tools: { issue_refund: ({ input }) => (input.amount > 10 ? deny() : undefined) } },
      },
    });
    const call = { toolName: "issue_refund", input: { orderId: "1", amount: 101, currency: "EUR" } };
    expect(policy.evaluate(call).kind).toBe("ask");
    expect(policy.evaluate({ ...call, profile: "strict" }).kind).toBe("deny");
  });

  it("accepts no unknown tool name, neither in the compiler nor at load", () => {
    expect(() =>
      definePolicy({
        agentTools: [refund, search],
        tools: {
          // @ts-expect-error there is no such tool
          isue_refund: ask(),
        },
      }),
    ).toThrow(/tools\.isue_refund: no tool in agentTools has this name; did you mean "issue_refund"\?/);
    expect(() =>
      definePolicy({
        agentTools: [refund],
        tools: {},
        profiles: {
          strict: {
            tools: {
              // @ts-expect-error nor in a profile
              search_orders: deny(),
            },
          },
        },
      }),
    ).toThrow(/profiles\.strict\.tools\.search_orders/);
  });

  it("accepts no unknown field of the arguments, and no other type of a field", () => {
    definePolicy({
      agentTools: [refund],
      tools: {
        issue_refund: ({ input }) => {
          // @ts-expect-error the field is called amount
          expectTypeOf(input.amuont).toBeAny();
          // @ts-expect-error a number has no length
          expectTypeOf(input.amount.length).toBeAny();
          return ask();
        },
      },
    });
  });

  it("accepts no unknown verdict or risk, no misspelt term and no asynchronous rule", () => {
    const definitions = [
      // @ts-expect-error the verdicts are allow, notify, ask, manual and deny
      (): PolicyDefinition => ({ tools: { ping: { kind: "permit" } } }),
      // @ts-expect-error the term is called approvers
      (): PolicyDefinition => ({ tools: { ping: ask({ aprovers: { roles: ["finance"] } }) } }),
      // @ts-expect-error a rule is judged at once
      (): PolicyDefinition => ({ tools: { ping: async () => ask() } }),
      // @ts-expect-error risks are low, medium, high and critical
      (): PolicyDefinition => ({ tools: {}, default: ask({ risk: "huge" }) }),
    ];
    expect(definitions).toHaveLength(4);
  });
});

describe("a policy without agentTools", () => {
  it("accepts any tool name, and does not know the types of arguments", () => {
    const policy = definePolicy({
      tools: {
        anything: ({ input }) => {
          expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>();
          // @ts-expect-error it may not be a number
          return input.amount > 100 ? ask() : allow();
        },
      },
    });
    expectTypeOf(policy.evaluate).parameter(0).toHaveProperty("toolName").toEqualTypeOf<string>();
    expectTypeOf(policy.evaluate)
      .returns.toHaveProperty("kind")
      .toEqualTypeOf<"allow" | "notify" | "ask" | "manual" | "deny">();
    expect(policy.evaluate({ toolName: "anything", input: { amount: 1 } }).kind).toBe("allow");
  });
});
