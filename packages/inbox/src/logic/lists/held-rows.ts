/** The rows that a list shows. */
export interface HeldRows {
  ids: readonly string[];
  /** The number of new rows that are not shown yet. */
  newCount: number;
}

/**
 * The rows to show: all current rows, or, while the list is held, the rows that were shown before, in their places.
 */
export function heldRows(shown: readonly string[], current: readonly string[], held: boolean): HeldRows {
  if (!held || shown.length === 0) return { ids: current, newCount: 0 };
  const before = new Set(shown);
  return { ids: shown, newCount: current.filter((id) => !before.has(id)).length };
}
