import { expect } from "vitest";
import type { demoInstallation } from "./demo-process.js";

/** Where the process of a demo dies, and what must be true once it was restarted and the run has ended. */
export interface Crash {
  point: string;
  /** Whether a person decides before the process dies. */
  decidedBefore: boolean;
  /** How long that decision is held, in milliseconds. @default 0 */
  holdMs?: number;
  effects: number;
  status: string;
}

/** Kills the process of a demo at a point, restarts it, and checks how its call ends. */
export async function expectSurvival(
  demo: Awaited<ReturnType<typeof demoInstallation>>,
  expected: Crash,
): Promise<void> {
  await demo.start(expected.point);
  const { threadId } = await demo.say("Please refund order A-1001");
  if (expected.decidedBefore) {
    const approval = await demo.pending();
    const { holdMs = 0 } = expected;
    const decision = { type: "approve", digest: approval.digest, holdMs };
    // The process dies during this request, so the connection may break.
    await demo.call("finance", `/approvals/${approval.id}/decision`, decision).catch(() => undefined);
  }
  await demo.crashed();

  await demo.start();
  if (!expected.decidedBefore) {
    const approval = await demo.pending();
    const answer = await demo.call("finance", `/approvals/${approval.id}/decision`, {
      type: "approve",
      digest: approval.digest,
    });
    expect(answer.status).toBe(200);
  }
  await demo.threadDone(threadId);
  const { body } = await demo.call("finance", `/approvals?threadId=${threadId}`);
  expect(body.items).toMatchObject([{ toolName: "issue_refund", status: expected.status }]);
  const effects = await demo.effects();
  expect(effects).toHaveLength(expected.effects);
  for (const effect of effects) expect(effect).toMatchObject({ approvalId: body.items?.[0]?.id });
}
