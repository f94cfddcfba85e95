import { createNetwork, type StateData } from "@inngest/agent-kit";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/harness.js";
import { type HostHistory, openHistoryDesk, runHasEnded, told } from "../support/host-history-desk.js";

describe("a host's history that fails", () => {
  const down = () => Object.assign(new Error("connect postgres://desk:hunter2@db"), { code: "ECONNREFUSED" });
  const forLong = Array.from({ length: 1_000 }, down);

  it("delays neither the decision nor the run, is reported, and gets both calls later in their order", async () => {
    await using desk = await openHistoryDesk({ failures: forLong });
    const { harness, host, logged } = desk;
    const approval = await harness.onlyPending();
    await eventually(() => host.attempts[0], "the host was tried");
    expect((await harness.decide(approval, "approve")).status).toBe(200);
    await runHasEnded(harness, desk.runId);
    expect(desk.effects).toHaveLength(1);
    for (const event of ["approval.pending", "approval.decided"]) {
      const failed = {
        message: "An attempt at a delivery has failed",
        fields: expect.objectContaining({
          ...{ channel: "network-history/support", event, approvalId: approval.id },
          error: "The channel threw Error (ECONNREFUSED)",
        }),
      };
      await expect.poll(() => logged).toContainEqual(failed);
    }
    expect(host.calls).toEqual([]);
    const lastError = "The channel threw Error (ECONNREFUSED)";
    // An attempt is logged before its end is written.
    await expect
      .poll(() => desk.deliveries(approval.id))
      .toMatchObject([{ event: "approval.pending" }, { event: "approval.decided", state: "due", lastError }]);
    host.recover();
    await told(desk, 2);
    expect(host.names()).toEqual(["save", "resolve"]);
    expect(JSON.stringify(logged)).not.toContain("hunter2");
  });
});

describe("a process that started after the call was proposed", () => {
  const forLong = Array.from({ length: 1_000 }, () => new Error("down"));

  it("leaves the messages due until a run tells it the history", async () => {
    await using desk = await openHistoryDesk({ failures: forLong });
    const { harness, host } = desk;
    const approval = await harness.onlyPending();
    await eventually(() => host.attempts[0], "the host was tried");
    harness.redeploy({});
    const tried = host.attempts.length;
    await harness.onceAtRest(async () => {
      await harness.clock.advance("1m");
      const runs = await harness.functionRuns("countersign-relay");
      return runs.filter(({ status }) => status === "Completed").length > 3 ? runs : undefined;
    }, "the relay has run several times");
    expect(host.attempts).toHaveLength(tried);
    expect(host.calls).toEqual([]);
    expect(await desk.deliveries(approval.id)).toMatchObject([{ event: "approval.pending", state: "due" }]);
    host.recover();
    await harness.decide(approval, "approve");
    await runHasEnded(harness, desk.runId);
    await told(desk, 2);
    expect(host.names()).toEqual(["save", "resolve"]);
  });

  it("knows the history of a network that it guards at its start", async () => {
    await using desk = await openHistoryDesk({ failures: forLong });
    const { harness, host } = desk;
    await harness.onlyPending();
    await eventually(() => host.attempts[0], "the first history was tried");
    const saved: string[] = [];
    const history: HostHistory = {
      savePendingApproval: async ({ approvalId }) => void saved.push(approvalId),
    };
    harness.countersign.guard(createNetwork<StateData>({ name: "support", agents: [], history }));
    await harness.onceAtRest(async () => {
      if (saved.length > 0) return saved;
      await harness.clock.advance("5s");
      return undefined;
    }, "the latest history of this name was told");
    expect(host.calls).toEqual([]);
  });
});
