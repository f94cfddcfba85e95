import type { Proposed } from "../../approval/proposed.js";
import type { Subject } from "../run/subject.js";
import type { Tool } from "../tool.js";

/** The call to run: the current tool, the subject, the profile of its agent, and the approval. */
export interface RunnableCall {
  tool: Tool;
  profile: string | undefined;
  /** The arguments that the handler was entered with. Those of the approval run. */
  input: unknown;
  approvalId: string;
  /** What the run recorded when it proposed the call. */
  proposed: Proposed;
  subject: Subject;
}
