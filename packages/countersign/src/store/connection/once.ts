import type { Expiring } from "./transaction-deadline.js";

/** Sends one statement, which is a transaction of its own. */
export type Once = (
  statement: OnceStatement,
  options: OnceOptions,
) => Promise<readonly { result: string | null }[]>;

export interface OnceStatement {
  text: string;
  parameters: readonly (string | number | null)[];
}

export interface OnceOptions extends Expiring {
  /** It only reads, so it may be sent again. */
  repeatable: boolean;
}
