import { expect } from "vitest";
import type { demoInstallation } from "./demo-process.js";

type Demo = Awaited<ReturnType<typeof demoInstallation>>;

/** Where the process of a demo dies, and what must be true once it was restarted and the run has ended. */
export interface Crash {
  point: string;
  /** Which time at this point. The agent's first response only looks the order up. @default 1 */
  time?: number;
  /** Whether a person decides before the process dies. @default false */
  decided?: boolean;
  /** How long that decision is held, in milliseconds. @default 0 */
  holdMs?: number;
  /** Nothing wakes the run but the relay, which runs every minute. @default false */
  relayed?: boolean;
  ends: { status: string; withdrawalCause?: string; effects: number };
}

/** The refund that a process dies of. */
export interface Refund {
  orderId?: string;
  /** What happens while the process is dead. */
  meanwhile?(): Promise<unknown>;
}

/** Kills the running process of a demo at a point, restarts it, and checks how its call ends. */
export async function expectSurvival(
  demo: Demo,
  { point, time = 1, decided = false, holdMs = 0, relayed = false, ends }: Crash,
  { orderId = "A-1001", meanwhile }: Refund = {},
): Promise<void> {
  await demo.dieAt(point, time);
  const { threadId } = await demo.say(`Please refund 10 EUR for order ${orderId}`);
  // The process dies during this request, so the connection may break.
  if (decided) await approve(demo, threadId, holdMs).catch(() => undefined);
  await demo.crashed();
  await meanwhile?.();
  await (relayed ? demo.startBeforeMinute() : demo.start());
  if (!decided) expect((await approve(demo, threadId, holdMs)).status).toBe(200);
  await demo.threadDone(threadId);
  const { body } = await demo.call("finance", `/approvals?threadId=${threadId}`);
  const { effects, ...approval } = ends;
  expect(body.items).toMatchObject([{ toolName: "issue_refund", ...approval }]);
  expect(await effectsOf(demo, body.items?.[0]?.id)).toHaveLength(effects);
}

async function approve(demo: Demo, threadId: string, holdMs: number) {
  const { id, digest } = await demo.pending(threadId);
  return demo.call("finance", `/approvals/${id}/decision`, { type: "approve", digest, holdMs });
}

/** What a call has done. Each of the demo's effects belongs to a call. */
export async function effectsOf(demo: Demo, approvalId: string | undefined) {
  const effects = await demo.effects();
  for (const effect of effects) expect(effect.approvalId).toEqual(expect.any(String));
  return effects.filter((effect) => effect.approvalId === approvalId);
}
