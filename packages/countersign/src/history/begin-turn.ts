import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import { currentRun } from "../call/run/inngest-run.js";
import type { Runtime } from "../call/run/runtime.js";
import type { RunningTurn } from "../call/run/turn.js";
import { sideBySide } from "./side-by-side.js";
import type { TurnBeginning, Turns } from "./turns.js";

interface TurnRuntime extends Pick<Runtime, "store" | "wake"> {
  turns: Turns;
  /** Whether a new message in a thread withdraws its pending calls. */
  supersede: "never" | "on-new-message";
}

/** Saves a user's message, once for all replays, and ends what it supersedes. */
export async function beginTurn(
  { store, turns, wake, supersede }: TurnRuntime,
  beginning: TurnBeginning,
): Promise<RunningTurn> {
  const { tenantId, threadId } = beginning;
  const { turn } = await sideBySide(() => turns.begin(beginning));
  const run = await currentRun();
  if (!run || supersede === "never") return turn;
  // Only once, when the message is new: a replay must not end what a newer message has begun.
  await run.step.run(`countersign:supersede:${threadId}`, async () => {
    const wakeUps = await store.withdrawThread(tenantId, threadId, run.runId);
    if (wakeUps.length > 0) crashPoint("after-superseding");
    await wake(wakeUps);
    return wakeUps.length;
  });
  return turn;
}
