/**
 * What a run remembers about a call it proposed. The workflow engine stores it, so an attacker with database access
 * cannot change it. Execution compares the row with it.
 */
export interface Proposed {
  /** The digest at the time of the proposal. */
  digest: string;
  /** Time of the proposal, in Unix milliseconds of the database clock. */
  at: number;
  /** Whether decisions about the call are signed. */
  signed: boolean;
}
