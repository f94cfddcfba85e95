import { definePolicy } from "@countersign/policy/internal/policy/define-policy";
import { Inngest } from "inngest";
import { expect, it } from "vitest";
import { pgliteStore } from "../pglite.js";
import { createCountersign } from "./create-countersign.js";

const options = {
  inngest: new Inngest({ id: "desk", isDev: true }),
  store: pgliteStore(),
  policy: definePolicy({ tools: {} }),
};

it.each(["guard", "lifecycle", "streaming"])("%s() says which entry point has it", (name) => {
  const member: unknown = Reflect.get(createCountersign(options), name);
  if (typeof member !== "function") throw new Error(`${name} is missing`);
  expect(() => member()).toThrow(
    `${name}(): is for agents of AgentKit. Take createCountersign from countersign/agent-kit`,
  );
});

it("the option context says which entry point reads it", () => {
  expect(() => createCountersign({ ...options, context: () => ({}) } as never)).toThrow(
    /^context: is read from the state of AgentKit's networks/,
  );
});
