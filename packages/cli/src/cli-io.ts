/** A command's output and input, injected so that tests can replace them. */
export interface CliIo {
  out(text: string): void;
  err(text: string): void;
  /** Asks the person at the terminal. Absent without a terminal. */
  ask?(question: string): Promise<string>;
}

/** Exit codes of commands. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Invalid usage of a command. The message says how to fix it. */
export class UsageError extends Error {}
