/** What a list shows while somebody's hand is in it. */
export interface HeldRows {
  ids: readonly string[];
  /** How many have come that are not shown yet. */
  waiting: number;
}

/**
 * The rows to show: all that are there, in their order; or, while the list is held, those that were shown before in
 * the places where they were, whatever has come, gone or moved since.
 */
export function heldRows(shown: readonly string[], current: readonly string[], held: boolean): HeldRows {
  if (!held || shown.length === 0) return { ids: current, waiting: 0 };
  const before = new Set(shown);
  return { ids: shown, waiting: current.filter((id) => !before.has(id)).length };
}
