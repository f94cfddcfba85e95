import { describe, expect, it } from "vitest";
import { CountersignError } from "../shared/errors.js";
import { definePolicy } from "./define-policy.js";
import { allow, ask, deny } from "./rules/verdict.js";

const kindFor = (tools: Parameters<typeof definePolicy>[0]["tools"], toolName: string) =>
  definePolicy({ tools }).evaluate({ toolName, input: {} }).kind;

describe("a policy", () => {
  it("denies a tool that no rule covers", () => {
    expect(kindFor({ lookup: allow() }, "wire_money")).toBe("deny");
  });

  it("matches exact names and globs, and no other names", () => {
    expect(kindFor({ "github-*": ask() }, "github-delete_repo")).toBe("ask");
    expect(kindFor({ "github-*": ask() }, "gitlab-delete_repo")).toBe("deny");
    expect(kindFor({ refund: allow() }, "refund_all")).toBe("deny");
    expect(kindFor({ "!refund": allow() }, "anything")).toBe("deny");
  });

  it("gives the verdict of the strictest matching rule, whatever the order of the rules", () => {
    const rules = [
      ["refund", allow()],
      ["re*", ask()],
      ["*fund", deny()],
    ] as const;
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const tools = Object.fromEntries(order.map((index) => rules[index] as (typeof rules)[number]));
      expect(kindFor(tools, "refund")).toBe("deny");
    }
  });

  it("has a version that changes with its rules, and not with their order", () => {
    const version = (tools: Parameters<typeof definePolicy>[0]["tools"]) => definePolicy({ tools }).version;
    expect(version({ a: allow(), b: ask() })).toBe(version({ b: ask(), a: allow() }));
    expect(version({ a: allow() })).not.toBe(version({ a: ask() }));
    expect(version({ a: ask() })).not.toBe(version({ a: ask({ approvers: { roles: ["finance"] } }) }));
  });

  it("reports which rule and field is invalid", () => {
    const define = () => definePolicy({ tools: { refund: ask({ timeout: "soon" }) } });
    expect(define).toThrow(CountersignError);
    expect(define).toThrow(/tools\.refund\.timeout: must be a duration/);
  });
});
