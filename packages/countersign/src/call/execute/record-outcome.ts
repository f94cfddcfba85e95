import type { Approval } from "../../approval/approval.js";
import { type Ran, signOutcome } from "../../evidence/outcome-proof.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import type { ExecutionOutcome } from "./execution-outcome.js";

/** Milliseconds between the attempts for which the run waits. */
const pausesMs = [200, 400, 800, 1600];
/** Milliseconds between later attempts, doubled from `first` up to `max`. */
const laterPausesMs = { first: 2000, max: 30_000 };

/**
 * Writes the end of a call into its row. The handler has run, so a failing database or signing service must not fail
 * the step: a retry would find the claim and report the call as interrupted, though this process knows its end. The run
 * continues after a few seconds. The attempts continue until one succeeds or the process ends.
 */
export async function recordOutcome(
  { signer, store, logger }: Pick<ExecutionRuntime, "signer" | "store" | "logger">,
  read: () => Promise<Approval | undefined>,
  { approvalId, ran }: { approvalId: string; ran: Ran },
  outcome: ExecutionOutcome,
): Promise<void> {
  if (outcome.status === "refused") return;
  const end = { status: outcome.status, outcomeJson: JSON.stringify(outcome) };
  const at = signer && (await store.now());
  const write = async (outcomeToken: string | null, approval?: Approval) => {
    await store.finish(approvalId, { ...end, outcomeToken }, approval);
  };
  const sign = async (approval: Approval | undefined) =>
    signer && at && approval ? signOutcome(approval, ran, { ...end, at }, signer) : null;
  for (const pauseMs of pausesMs) {
    try {
      const approval = await read();
      return await write(await sign(approval), approval);
    } catch {
      await pause(pauseMs);
    }
  }
  // Without a signature the row still says how the call ended; only a replay cannot use it.
  const writeUnsigned = async () =>
    write(
      await read()
        .then(sign)
        .catch(() => null),
    );
  try {
    await writeUnsigned();
  } catch (error) {
    logger.warn("Could not record the outcome of a call; retrying", {
      approvalId,
      error: String(error),
    });
    void keepTrying(writeUnsigned, () => logger.warn("Recorded the outcome of a call", { approvalId }));
  }
}

async function keepTrying(write: () => Promise<void>, onWritten: () => void): Promise<void> {
  for (let pauseMs = laterPausesMs.first; ; pauseMs = Math.min(2 * pauseMs, laterPausesMs.max)) {
    await pause(pauseMs);
    try {
      await write();
      onWritten();
      return;
    } catch {
      // The first failure was logged. Try again after the next pause.
    }
  }
}

/** Does not keep an otherwise idle process alive. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
