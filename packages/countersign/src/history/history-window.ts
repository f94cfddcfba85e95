import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import type { HistoryWindow } from "./load-conversation.js";

/** How much of a thread a run gets: always the latest part. */
export interface HistoryOptions {
  /**
   * Maximum number of messages. An agent's response counts as one, with its calls and their results.
   * @default 1000
   */
  maxMessages?: number;
  /**
   * Maximum size in bytes, as JSON. A single message longer than a quarter of it is shortened. An engine carries model
   * requests of at most 4 MiB, which must also hold the run's own messages.
   * @default 1048576
   */
  maxBytes?: number;
}

const number = (min: number) => {
  const message = `must be an integer of at least ${min}`;
  return z.int(message).min(min, message);
};

const optionsSchema = z.strictObject({
  maxMessages: number(1).default(1000),
  maxBytes: number(4096).default(1024 * 1024),
});

/** @throws CountersignError `invalid_option`, naming the option. */
export function historyWindowOf(options: HistoryOptions = {}): HistoryWindow {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new CountersignError("invalid_option", zodProblems(parsed.error, "history").join("; "));
}
