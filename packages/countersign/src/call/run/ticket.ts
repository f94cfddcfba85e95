import type { Proposed } from "../../approval/proposed.js";
import type { Subject } from "./subject.js";

/** The hook's verdict about one call, found again by the call's input object when AgentKit runs the handler. */
export type Ticket = (
  | {
      kind: "allowed";
      /** Names the call within its run, the same on every replay. */
      callKey: string;
    }
  | {
      kind: "approved";
      approvalId: string;
      proposed: Proposed;
      /** Adds a note for the model to the call's result. */
      addNote(note: string): void;
    }
) & {
  toolName: string;
  subject: Subject;
  /** Names of the agents that led to the call, outermost first. */
  agents: readonly string[];
};
