import type { Allowed } from "../../gate/gate.js";
import type { Approved } from "../outcome.js";
import type { Subject } from "./subject.js";

/** The hook's verdict about one call, found again by the call's input object when AgentKit runs the handler. */
export interface Ticket {
  toolName: string;
  /** Names the call within its run, the same on every replay. */
  callKey: string;
  outcome: Allowed | Approved;
  subject: Subject;
  /** Names of the agents that led to the call, outermost first. */
  agents: readonly string[];
  /** Adds a note for the model to the call's result. */
  addNote(note: string): void;
}
