import type { Runtime } from "../call/run/runtime.js";
import type { HistoryWindow } from "./load-conversation.js";
import type { Recorder } from "./record-results.js";
import type { Turns } from "./turns.js";

/** The parts of an instance that its history needs. */
export interface HistoryRuntime extends Pick<Runtime, "store" | "subjectOfState" | "wake"> {
  turns: Turns;
  recorder: Recorder;
  /** How much of a thread a run loads. */
  historyWindow: HistoryWindow;
  /** Whether a new message in a thread withdraws its pending calls. */
  supersede: "never" | "on-new-message";
}
