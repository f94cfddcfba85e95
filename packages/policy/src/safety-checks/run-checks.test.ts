import { afterEach, describe, expect, it, vi } from "vitest";
import { runChecks } from "./run-checks.js";
import type { CheckContext, SafetyCheck } from "./safety-check.js";

const warnings: string[] = [];
const logger = {
  info: () => {},
  warn: (message: string) => void warnings.push(message),
  error: () => {},
};

afterEach(() => {
  warnings.length = 0;
  vi.useRealTimers();
});

function run(...checks: SafetyCheck["run"][]) {
  return runChecks(
    checks.map((run, index) => ({ name: `check ${index + 1}`, run })),
    {
      inputJson: '{"amount":80,"card":"4111"}',
      context: {
        moment: "proposal",
        toolName: "refund",
        tenantId: "acme",
        threadId: "t",
        requester: null,
        approvalId: null,
      },
      hide: (message) => message.replaceAll("4111", "[hidden]"),
      logger,
    },
  );
}

describe("runChecks", () => {
  it("takes a plain boolean, and an answer with a message", async () => {
    const results = await run(
      () => true,
      async () => false,
      () => ({ ok: true, message: "1 of 3 refunds today" }),
      async ({ amount }) => ({ ok: amount === 1, message: `${amount} is too much` }),
    );
    expect(results).toEqual([
      { name: "check 1", ok: true, message: null },
      { name: "check 2", ok: false, message: null },
      { name: "check 3", ok: true, message: "1 of 3 refunds today" },
      { name: "check 4", ok: false, message: "80 is too much" },
    ]);
    expect(warnings).toEqual([]);
  });

  it("counts a check that throws as failed and reveals nothing of the error", async () => {
    const results = await run(
      () => {
        throw new TypeError("postgres://bank:secret@db");
      },
      () => Promise.reject("secret"),
    );
    const message = "Could not be checked";
    expect(results).toEqual([
      { name: "check 1", ok: false, message },
      { name: "check 2", ok: false, message },
    ]);
    expect(warnings).toEqual([
      expect.stringContaining('"check 1" of refund threw (TypeError)'),
      expect.stringContaining('"check 2" of refund threw (string)'),
    ]);
    expect(JSON.stringify([results, warnings])).not.toContain("secret");
  });

  it.each([
    ["nothing", undefined],
    ["a text", "fine"],
    ["a number", 1],
    ["null", null],
    ["an object without ok", {}],
    ["a truthy ok", { ok: "yes" }],
    ["a message that is no text", { ok: true, message: { secret: true } }],
  ])("counts a check that returns %s as failed", async (_what, answer) => {
    const [result] = await run((() => answer) as unknown as SafetyCheck["run"]);
    expect(result).toEqual({ name: "check 1", ok: false, message: "Could not be checked" });
  });

  it("counts a check that hangs as failed after 5 seconds, and aborts it", async () => {
    vi.useFakeTimers();
    let signal: AbortSignal | undefined;
    const results = run(
      (_input, context) => {
        signal = context.signal;
        return new Promise<boolean>(() => {});
      },
      () => true,
    );
    await vi.advanceTimersByTimeAsync(4_999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await results).toEqual([
      { name: "check 1", ok: false, message: "Could not be checked in time" },
      { name: "check 2", ok: true, message: null },
    ]);
    expect(signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("runs the checks side by side, each with its own copy of the arguments", async () => {
    let first: (ok: boolean) => void = () => {};
    const results = await run(
      (input) => {
        input.amount = 1;
        return new Promise((resolve) => {
          first = resolve;
        });
      },
      ({ amount }) => {
        first(true);
        return amount === 80;
      },
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  });

  it("tells a check about the call", async () => {
    let told: CheckContext | undefined;
    await run((_input, context) => {
      told = context;
      return true;
    });
    expect(told).toMatchObject({
      moment: "proposal",
      toolName: "refund",
      tenantId: "acme",
      approvalId: null,
    });
  });

  it("hides, cuts and repairs messages", async () => {
    const results = await run(
      () => ({ ok: false, message: "Card 4111 is blocked" }),
      () => ({ ok: false, message: "x".repeat(100_000) }),
      () => ({ ok: true, message: `Fine.${" ".repeat(5_000)}But not for Eve.` }),
      () => ({ ok: true, message: " \0\ud800 " }),
      () => ({ ok: true, message: "  " }),
    );
    expect(results.map(({ message }) => message)).toEqual([
      "Card [hidden] is blocked",
      `${"x".repeat(199)}…`,
      "Fine.…",
      "\ufffd\ufffd",
      null,
    ]);
  });
});
