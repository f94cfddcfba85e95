/** The engine does not accept events. The message says why. */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
}
