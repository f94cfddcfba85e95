/** An action that the desk cannot do. The message is for the model and for people. */
export class DeskError extends Error {
  override readonly name = "DeskError";
}
