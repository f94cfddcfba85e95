/** Entries in their own order, merged with others by time: each after the entries that were there already. */
export function inTimeOrder<Entry extends { createdAt: Date }, Other extends { createdAt: Date }>(
  entries: readonly Entry[],
  others: readonly Other[],
): (Entry | Other)[] {
  const left = [...others].sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  const ordered: (Entry | Other)[] = [];
  for (const entry of entries) {
    while (left[0] && left[0].createdAt < entry.createdAt) ordered.push(...left.splice(0, 1));
    ordered.push(entry);
  }
  return [...ordered, ...left];
}
