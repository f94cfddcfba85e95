import { definePolicy } from "@countersign/policy/internal/policy/define-policy";
import { Inngest } from "inngest";
import { afterEach, expect, it, vi } from "vitest";
import type { Store } from "../store/store.js";
import { createCountersign } from "./create-countersign.js";

afterEach(() => vi.restoreAllMocks());

const inngest = new Inngest({ id: "test" });
const unavailable = () => Promise.reject(new Error("no database"));
const store = {
  migrate: unavailable,
  propose: unavailable,
  decide: unavailable,
  onTransitions: () => {},
  onDue: () => {},
} as unknown as Store;
const broken = {
  ...definePolicy({ tools: {} }),
  evaluate: (): never => {
    throw new TypeError("broken");
  },
};
const call = { toolName: "refund", input: {} };

it("an instance logs messages and fields to its logger, and nothing to the console", () => {
  const consoles = (["debug", "info", "warn", "error", "log"] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation(() => {}),
  );
  const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  createCountersign({ inngest, store, policy: broken, logger }).policy.evaluate(call);
  expect(logger.error.mock.calls).toEqual([
    [expect.stringMatching(/^The policy threw \(TypeError\)/), { toolName: "refund" }],
  ]);
  for (const spied of consoles) expect(spied).not.toHaveBeenCalled();
});

it("an instance without a logger logs to the console", () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  createCountersign({ inngest, store, policy: broken }).policy.evaluate(call);
  expect(error).toHaveBeenCalledWith(expect.stringMatching(/^Countersign: The policy threw/), {
    toolName: "refund",
  });
});

it("the logger of an Inngest client fits, and a logger without its methods does not", () => {
  const policy = definePolicy({ tools: {} });
  expect(createCountersign({ inngest, store, policy, logger: inngest.logger }).logger).toBe(inngest.logger);
  expect(() => createCountersign({ inngest, store, policy, logger: { log() {} } as never })).toThrow(
    /logger: must be a logger with the methods info, warn and error/,
  );
});
