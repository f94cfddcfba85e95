import { definePolicy } from "@countersign/policy/internal/policy/define-policy";
import { afterEach, expect, it, vi } from "vitest";
import type { Store } from "../store/opaque-store.js";
import { withDefaults } from "./with-defaults.js";

const inngest = { id: "shop" } as never;
const store = {} as Store;
const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.clearAllMocks();
});

it("says in one line, once, what it chose, and nothing if all is given", () => {
  withDefaults({ inngest, store, policy: definePolicy({ tools: {} }) }, logger);
  expect(logger.info).not.toHaveBeenCalled();
  withDefaults({ inngest }, logger);
  withDefaults({ inngest }, logger);
  expect(logger.info.mock.calls).toEqual([
    [
      "No store: the data is in .countersign. In production, pass store: postgresStore(). No policy: tools marked with needsApproval() wait for a person, and all others run.",
      {},
    ],
  ]);
});

it("in production, a missing store is an error that names the cure", () => {
  vi.stubEnv("NODE_ENV", "production");
  expect(() => withDefaults({ inngest }, logger)).toThrow(
    /^store: is missing; in production, pass store: postgresStore\(\) .* DATABASE_URL, .*countersign migrate/,
  );
});

it("an option that is there but undefined is a mistake, and no choice", () => {
  expect(() => withDefaults({ inngest, store, policy: undefined as never }, logger)).toThrow(
    "policy: is undefined; give one, or leave the option out",
  );
  expect(() => withDefaults({ inngest, store: undefined as never }, logger)).toThrow("store: is undefined");
});

it("without a policy, tools without a mark run, and a mark asks", () => {
  const { policy } = withDefaults({ inngest, store }, logger);
  expect(policy.evaluate({ toolName: "look_up", input: {} }).kind).toBe("allow");
  expect(policy.evaluate({ toolName: "refund", input: {}, marked: {} }).kind).toBe("ask");
  const mcp = { server: "files", tool: "read", readOnlyHint: true };
  expect(policy.evaluate({ toolName: "files-read", input: {}, mcp }).kind).toBe("ask");
});
