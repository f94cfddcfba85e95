/** The rows that a list shows. */
export interface HeldRows {
  ids: readonly string[];
  /** The number of new rows that are not shown yet. */
  newCount: number;
}

/**
 * The rows to show: all current rows, or, while the list is held, the rows that were shown before, in their places. What comes
 * after all of them moves nothing, such as the next page.
 */
export function heldRows(shown: readonly string[], current: readonly string[], held: boolean): HeldRows {
  if (!held || shown.length === 0) return { ids: current, newCount: 0 };
  const before = new Set(shown);
  const end = current.findLastIndex((id) => before.has(id)) + 1;
  const after = end === 0 ? [] : current.slice(end);
  return {
    ids: after.length === 0 ? shown : [...shown, ...after],
    newCount: current.slice(0, end || current.length).filter((id) => !before.has(id)).length,
  };
}
