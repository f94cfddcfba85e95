import type { Proposed } from "../../approval/proposed.js";
import type { Subject } from "../run/subject.js";
import type { Tool } from "../tool.js";

/** The call to run: the current tool, the subject, the profile of its agent, and the approval. */
export interface ApprovedToolCall {
  tool: Tool;
  profile: string | undefined;
  /** The arguments that the handler was entered with. Those of the approval run. */
  input: unknown;
  approvalId: string;
  /** What the run recorded when it proposed the call. */
  proposed: Proposed;
  subject: Subject;
  /** Adds a note for the model to the call's result. */
  addNote(note: string): void;
}

/** The same for a caller that gets the call's outcome itself. */
export type RunnableCall = Omit<ApprovedToolCall, "addNote">;
