/** A request that the desk cannot do; its message is meant for the model and for people. */
export class DeskError extends Error {
  override readonly name = "DeskError";
}
