import { currentRun } from "../call/run/inngest-run.js";

interface Gathering {
  inFlight: number;
  released: Promise<void>;
  release(): void;
}

const gatherings = new WeakMap<object, Gathering>();

/**
 * Makes parallel reads and writes of one execution end together. Inngest plans all steps that the branches of a
 * function have reached at one moment. A branch that still waits for the database then only continues when a step of
 * another branch ends, and that step may wait for a person.
 */
export async function sideBySide<T>(work: () => Promise<T>): Promise<T> {
  const run = await currentRun();
  if (!run) return work();
  const gathering = gatherings.get(run.execution) ?? newGathering();
  gatherings.set(run.execution, gathering);
  gathering.inFlight++;
  try {
    return await work();
  } finally {
    gathering.inFlight--;
    if (gathering.inFlight === 0) {
      gatherings.delete(run.execution);
      gathering.release();
    }
    await gathering.released;
  }
}

function newGathering(): Gathering {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { inFlight: 0, released, release };
}
