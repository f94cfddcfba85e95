/** A call's place in the list. */
export interface Place {
  id: string;
  /** Where it is, or where it last was if it has left. What came after it has then moved up to this index. */
  index: number;
}

/** The calls of the list that is shown. */
export interface Queue {
  /** In the order of the list. */
  ids: readonly string[];
  /** That of the open call, kept after it has left. */
  place: Place | undefined;
}

/** The next open call below a place, or above it with step -1. Without a place it is the first one, or the last. */
export function neighbour(
  ids: readonly string[],
  isOpen: (id: string) => boolean,
  from: Place | undefined,
  step: 1 | -1,
): string | undefined {
  if (!from) return step > 0 ? ids.find(isOpen) : ids.findLast(isOpen);
  const at = ids.indexOf(from.id);
  const [end, start] = at < 0 ? [from.index, from.index] : [at, at + 1];
  return step > 0 ? ids.slice(start).find(isOpen) : ids.slice(0, end).findLast(isOpen);
}

/** The rows from one to another, in either direction; that other row alone if the first is not among them. */
export function rangeTo(rows: readonly string[], from: string | undefined, to: string): readonly string[] {
  const [start, end] = [from === undefined ? -1 : rows.indexOf(from), rows.indexOf(to)];
  if (start < 0 || end < 0) return [to];
  const range = rows.slice(Math.min(start, end), Math.max(start, end) + 1);
  return start > end ? range.toReversed() : range;
}
