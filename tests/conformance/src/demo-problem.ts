/** A failure of the demo or of this program, which says nothing about the server. */
export class DemoProblem extends Error {
  override readonly name = "DemoProblem";
}
