import fc, { type IAsyncProperty, type Parameters } from "fast-check";

/**
 * `fc.assert` for properties that a slow machine may interrupt. It fails with the seed if a case fails or if fewer than
 * `atLeast` cases were tried. fast-check counts an interrupted property as passed after its first case.
 */
export async function holdForEnough<T>(
  property: IAsyncProperty<T>,
  parameters: Parameters<T>,
  atLeast: number,
): Promise<void> {
  const tried = await fc.check(property, parameters);
  if (tried.failed) {
    throw new Error(await fc.asyncDefaultReportMessage(tried), { cause: tried.errorInstance });
  }
  if (tried.numRuns < Math.min(atLeast, parameters.numRuns ?? atLeast)) {
    throw new Error(
      `Only ${tried.numRuns} cases were tried within ${parameters.interruptAfterTimeLimit} ms, and at least ${atLeast} are needed (seed ${tried.seed})`,
    );
  }
}
