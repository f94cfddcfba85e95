import { approvalEvents, type Principal } from "countersign";
import type { Countersign, CountersignHistory } from "countersign/agent-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../support/harness.js";
import { type HostAppOptions, openHostApp, realServer } from "../support/host-app.js";
import { storeVerbs } from "../support/store.js";
import { handleToolApprovals, type Requested, type Result } from "./fixtures/handle-tool-approvals.js";

const crashPoint = Symbol.for("countersign:crash-point");
const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const minute = 60_000;

afterEach(() => void Reflect.deleteProperty(globalThis, crashPoint));

type Decide = (approvalId: string, type: "approve" | "deny") => Promise<void>;

interface Options extends Pick<HostAppOptions, "loses"> {
  outcomeBy: "event" | "database";
  /** Changes what the program does with its approvals. */
  around?: (history: CountersignHistory, decide: Decide) => Partial<CountersignHistory>;
  calls?: number;
  /** Its wait runs into its timeout. */
  waitsInVain?: boolean;
}

/** Decides as a person in the inbox does. */
const decideIn =
  ({ store, decide }: Countersign): Decide =>
  async (approvalId, type) => {
    const { digest = "" } = (await storeVerbs(store).getApproval("acme", approvalId)) ?? {};
    await decide({ approvalId, principal: finance, type, digest, reason: "I have looked" });
  };

/** The proposal's program, which waits for a person. */
async function openProgram({ outcomeBy, around, calls = 1, waitsInVain = false, ...options }: Options) {
  const trigger = `hitl.tool.approval.requested.${crypto.randomUUID()}`;
  const timeoutMs = realServer && waitsInVain ? 15_000 : 30 * minute;
  let results: Result[] | undefined;
  const onEnd = (given: Result[]) => {
    results = given;
  };
  const app = await openHostApp({
    ...options,
    functions: ({ inngest, countersign }) => {
      const history = () => {
        const { history } = countersign();
        return { ...history, ...around?.(history, decideIn(countersign())) };
      };
      return [handleToolApprovals({ inngest, history, trigger, outcomeBy, timeoutMs, onEnd })];
    },
  });
  const requested: Requested = {
    calls: Array.from({ length: calls }, (_, index) => ({
      toolName: "send_email",
      toolInput: { to: `customer-${index}@example.com` },
      originalCallId: `call-${index}`,
    })),
    ...{ threadId: "thread-1", sessionId: "session-1" },
  };
  await app.send(trigger, { ...requested });
  return {
    ...app,
    ended: () => eventually(() => results, "the program ends", 150_000),
    /** The approval that waits for a person. */
    pending: (callId = "call-0") =>
      eventually(async () => {
        const listed = await app.countersign.history.listPendingApprovals({ threadId: "thread-1" });
        return listed.find(({ toolCallId }) => toolCallId === callId);
      }, "the approval is pending"),
    decide: decideIn(app.countersign),
    /** A real server has a clock of its own. */
    untilWaitEnds: async () => realServer || (await app.advance("30m")),
    statusOf: async (approvalId: string) => (await app.store.getApproval("acme", approvalId))?.status,
  };
}

const approved = [{ originalCallId: "call-0", approved: true }];
const denied = [{ originalCallId: "call-0", approved: false }];

describe.each(["event", "database"] as const)("the proposed orchestrator, told by the %s", (outcomeBy) => {
  it("ends as the person has decided in the inbox, one call after another", async () => {
    await using program = await openProgram({ outcomeBy, calls: 2 });
    await program.decide((await program.pending("call-0")).approvalId, "approve");
    await program.decide((await program.pending("call-1")).approvalId, "deny");
    expect(await program.ended()).toEqual([
      { originalCallId: "call-0", approved: true },
      { originalCallId: "call-1", approved: false },
    ]);
  });

  it("is woken by the relay if the process died after the decision, before it sent the event", async () => {
    await using program = await openProgram({ outcomeBy });
    const { approvalId } = await program.pending();
    await vi.waitFor(async () => expect((await program.store.readUnpublished("acme", 1)).upTo).toBeNull(), {
      timeout: 30_000,
    });
    let died = 0;
    Reflect.set(globalThis, crashPoint, (name: string) => {
      if (name === "before-public-events" && died++ === 0) throw new Error("died");
    });
    await program.decide(approvalId, "approve");
    await vi.waitUntil(() => died > 0, { timeout: 30_000 });
    await program.advance("1m");
    expect(await program.ended()).toEqual(approved);
  });
});

it("the proposed orchestrator misses no decision that is made as soon as the approval is saved", async () => {
  await using program = await openProgram({
    outcomeBy: "database",
    around: ({ savePendingApproval }, decide) => ({
      async savePendingApproval(details) {
        await savePendingApproval(details);
        await decide(details.approvalId, "approve");
      },
    }),
  });
  expect(await program.ended()).toEqual(approved);
});

it("the proposed orchestrator ends denied once the approval has expired", async () => {
  await using program = await openProgram({ outcomeBy: "database" });
  const { approvalId } = await program.pending();
  program.advanceStore(32 * minute);
  await program.store.sweep();
  expect(await program.ended()).toEqual(denied);
  expect(await program.statusOf(approvalId)).toBe("expired");
});

it("the proposed orchestrator ends denied if its own wait ends a moment before the approval expires", async () => {
  await using program = await openProgram({ outcomeBy: "database", waitsInVain: true });
  const { approvalId } = await program.pending();
  await program.untilWaitEnds();
  expect(await program.ended()).toEqual(denied);
  expect(await program.statusOf(approvalId)).toBe("expired");
});

it("an event that gets lost does not turn an approval into a denial", async () => {
  const loses = ({ name }: { name: string }) => name === approvalEvents.hitlResolved.name;
  await using program = await openProgram({ outcomeBy: "database", waitsInVain: true, loses });
  await program.decide((await program.pending()).approvalId, "approve");
  await program.untilWaitEnds();
  expect(await program.ended()).toEqual(approved);
});

it("an event that somebody else sends approves nothing if the database tells the outcome", async () => {
  const refused = vi.fn();
  await using program = await openProgram({
    outcomeBy: "database",
    around: ({ resolvePendingApproval }) => ({
      async resolvePendingApproval(details) {
        await resolvePendingApproval(details).catch((error: unknown) => {
          refused(error);
          throw error;
        });
      },
    }),
  });
  const { approvalId, eventIdToWaitFor } = await program.pending();
  const forged = { eventId: eventIdToWaitFor, approvalId, approved: true, userId: "finance", reason: null };
  await program.send(approvalEvents.hitlResolved.name, forged);
  await vi.waitUntil(() => refused.mock.calls.length > 0, { timeout: 60_000 });
  expect(refused).toHaveBeenCalledWith(expect.objectContaining({ code: "unauthenticated" }));
  expect(await program.statusOf(approvalId)).toBe("pending");
  await program.decide(approvalId, "deny");
  // The engine tries the step again.
  await program.advance("2m");
  expect(await program.ended()).toEqual(denied);
});
