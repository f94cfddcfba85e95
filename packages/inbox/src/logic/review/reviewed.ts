/** What the reader has reviewed of an approval, by argument path. */
export interface Reviewed {
  /** The digest of the arguments that were reviewed. */
  digest: string;
  /** Folded values that were opened. */
  unfolded: ReadonlySet<string>;
  /** Places whose warnings are marked as checked. */
  checked: ReadonlySet<string>;
  /** Arguments whose end has been on the screen. */
  reached: ReadonlySet<string>;
  /** Whether all of it was on the screen for long enough to be read. */
  seen: boolean;
}

export function nothingReviewed(digest: string): Reviewed {
  return { digest, unfolded: new Set(), checked: new Set(), reached: new Set(), seen: false };
}
