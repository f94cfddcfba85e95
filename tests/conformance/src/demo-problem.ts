/** The demo, or this program itself, did not do its part: nothing was learnt about the server. */
export class DemoProblem extends Error {
  override readonly name = "DemoProblem";
}
