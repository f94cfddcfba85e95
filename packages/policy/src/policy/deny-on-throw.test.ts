import { expect, it, vi } from "vitest";
import { definePolicy } from "./define-policy.js";
import { withoutThrows } from "./deny-on-throw.js";

const sound = definePolicy({ tools: {} });
const call = { toolName: "refund", input: { card: "4111 1111 1111 1111" } };
const thrown = [
  new Error(`No rule for ${JSON.stringify(call.input)}`),
  "a string that quotes 4111 1111 1111 1111",
  Object.create(null),
  {
    toString() {
      throw new Error("do not look at me");
    },
  },
  undefined,
];

it.each(thrown.map((what) => [what]))(
  "a policy that throws denies the call, and the log does not quote what it threw",
  (what) => {
    const logged = vi.fn();
    const logger = { info: vi.fn(), warn: vi.fn(), error: logged };
    const broken = (): never => {
      throw what;
    };
    const policy = withoutThrows({ ...sound, evaluate: broken, explain: broken }, logger);
    expect(policy.evaluate(call)).toMatchObject({
      kind: "deny",
      terms: { reason: expect.stringContaining("failed") },
    });
    expect(policy.explain(call)).toMatchObject({ kind: "deny", policyVersion: sound.version, matched: [] });
    expect(logged).toHaveBeenCalledTimes(2);
    for (const [line] of logged.mock.calls) expect(line).toMatch(/^The policy threw \(\w+\) .* refund,/);
    expect(JSON.stringify(logged.mock.calls)).not.toContain("4111");
  },
);

it("an earlier version of a policy that throws denies the call as well", () => {
  const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const broken = (): never => {
    throw new Error("broken");
  };
  const earlier = { ...sound, version: "earlier", evaluate: broken };
  const at = (version: string) => (version === "earlier" ? earlier : undefined);
  const policy = withoutThrows({ ...sound, at }, logger);
  expect(policy.at?.("earlier")?.evaluate(call)).toMatchObject({ kind: "deny" });
  expect(policy.at?.("unknown")).toBeUndefined();
});
