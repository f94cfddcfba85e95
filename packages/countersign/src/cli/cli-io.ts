/** Where a command writes; given from outside, so that tests can read it. */
export interface CliIo {
  out(text: string): void;
  err(text: string): void;
}

/** What commands answer with, for scripts. */
export const exitCodes = { fine: 0, found: 1, usage: 2 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command was called in a way that means nothing; its message says what to write. */
export class UsageError extends Error {}
