/** A row of a list: a call, or the heading of several calls of one conversation, which follow it. */
export type ListItem =
  | { kind: "call"; id: string; grouped: boolean }
  | { kind: "group"; id: string; ids: string[] };

/**
 * The calls in their order, with those of one conversation together behind a heading, where the first of them stood.
 */
export function grouped(ids: readonly string[], threadOf: (id: string) => string | null): ListItem[] {
  const ofThread = new Map<string, string[]>();
  for (const id of ids) {
    const thread = threadOf(id);
    if (thread === null) continue;
    const known = ofThread.get(thread);
    if (known) known.push(id);
    else ofThread.set(thread, [id]);
  }
  return ids.flatMap((id): ListItem[] => {
    const thread = threadOf(id);
    const together = (thread !== null && ofThread.get(thread)) || [id];
    if (thread === null || together.length < 2) return [{ kind: "call", id, grouped: false }];
    if (together[0] !== id) return [];
    return [
      { kind: "group", id: `group ${thread}`, ids: together },
      ...together.map((one): ListItem => ({ kind: "call", id: one, grouped: true })),
    ];
  });
}
