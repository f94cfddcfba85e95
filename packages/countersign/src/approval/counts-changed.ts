/** What was counted has changed a verdict since the calls were judged. Nothing was written; judge them again. */
export class CountsChanged extends Error {
  override readonly name = "CountsChanged";

  /** Also true if another copy of the package made the error. */
  static isInstance(error: unknown): error is CountsChanged {
    return error instanceof Error && error.name === "CountsChanged";
  }
}
