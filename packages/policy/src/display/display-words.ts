import type { AuditType, AuditWords } from "./audit-types.js";
import type { NumberFormat } from "./number-text.js";
import type { PreviewFailure } from "./preview-failures.js";
import type { WithdrawalCause } from "./withdrawal-text.js";

/** The words that `@countersign/policy/display` uses, in one language. The functions use English by default. */
export interface DisplayWords {
  /** How numbers are written. */
  numbers: NumberFormat;
  /** The quotation marks around values: two of “ ” „ ‟, which are replaced within values. */
  quotes: { open: string; close: string };
  /** In place of a value that a rule hides from the reader. */
  hidden: string;
  marks: MarkWords;
  flags: FlagWords;
  effects: EffectWords;
  lengths: LengthWords;
  counts: CountWords;
  budgets: BudgetWords;
  audit: {
    types: Readonly<Record<AuditType, AuditWords>>;
    another: (type: string) => string;
  };
  /** Why a call was withdrawn, as the end of a sentence. */
  withdrawals: Readonly<Record<WithdrawalCause, string>>;
}

/** Labels and names of characters that cannot be seen. Counts are written numbers. */
export interface MarkWords {
  lineBreaks: (count: string) => string;
  spaces: (count: string) => string;
  tabs: (count: string) => string;
  blanks: (count: string) => string;
  oneAccent: string;
  accents: (count: string) => string;
  invisible: (count: string) => string;
  inARow: (label: string) => string;
  onOneLetter: (label: string) => string;
  /** By code point, such as `00AD`. */
  characters: Readonly<Record<string, string>>;
  controlCharacter: string;
  privateCharacter: string;
  invisibleCharacter: string;
}

/** What is misleading about a value. Words are quoted already, and characters are named. */
export interface FlagWords {
  inName: (flag: string) => string;
  /** In place of the word, at the beginning of a sentence. */
  aWord: string;
  mixedScript: (word: string, look: string, characters: string) => string;
  lookAlike: (word: string, look: string, characters: string) => string;
  compatibility: (word: string, look: string, characters: string) => string;
  foreignDigits: (word: string, look: string) => string;
  looksLike: (other: string) => string;
  mayImitate: string;
  direction: (characters: string) => string;
  control: (characters: string) => string;
  invisible: (characters: string) => string;
  decimals: (number: string) => string;
  largeNumber: (number: string) => string;
  cutShort: string;
  another: (kind: string) => string;
}

/** What a call would change. */
export interface EffectWords {
  /** A value that does not exist before or after the call. */
  nothing: string;
  /** Beginnings of lines that are not about a target. Targets that begin so are quoted. */
  ownBeginnings: RegExp;
  nothingWouldChange: string;
  /** In place of equal values before and after. */
  unchanged: (value: string) => string;
  more: (count: number) => string;
  reversible: { unknown: string; yes: string; no: string; within: (time: string) => string };
  failures: Readonly<Record<PreviewFailure, string>>;
}

/** Lengths of time, by their unit. Counts are written numbers. */
export type LengthWords = Readonly<Record<"s" | "m" | "h" | "d" | "w", (count: string) => string>>;

/** What limits over time counted. Names are quoted where necessary. */
export interface CountWords {
  per: { requester: string; thread: string; tenant: string; same: (name: string) => string };
  hiddenTotal: string;
  line: (count: CountParts) => string;
}

/** The parts of a line about a count. */
export interface CountParts {
  /** The total as text; `undefined` if it is not known. */
  total: string | undefined;
  limit: string | undefined;
  /** By how much the total is above the limit; `undefined` if it is not. */
  excess: string | undefined;
  /** Whether amounts are added up. Otherwise requests are counted. */
  isSum: boolean;
  /** The argument that is added up, unless a unit says what the sum is of. */
  amount: string | undefined;
  /** What is counted, unless it is the tool of the request itself. */
  tool: string | undefined;
  /** What the rules call what is counted; `null` without a label, or for several tools. */
  label: string | null;
  /** A length in words. */
  window: string;
  /** Whose requests are counted, in the words of `per`. */
  per: string;
  /** Whether exactly one was counted, without a limit. */
  isOne: boolean;
}

/** The budgets of grants. Amounts have their unit. */
export interface BudgetWords {
  used: (used: string, total: string) => string;
  usedWithMaximum: (used: string, total: string, each: string) => string;
  overTotal: (used: string, total: string, amount: string) => string;
  overEach: (each: string, amount: string) => string;
}
