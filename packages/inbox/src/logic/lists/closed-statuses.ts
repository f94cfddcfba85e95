/** What became of calls, as history shows them together. */
export const historyKinds = ["ran", "denied", "answered", "undecided", "interrupted"] as const;
export type HistoryKind = (typeof historyKinds)[number];

export const statusesOf: Readonly<Record<HistoryKind, readonly string[]>> = {
  ran: ["approved", "executing", "executed", "failed"],
  denied: ["denied"],
  answered: ["responded"],
  undecided: ["expired", "withdrawn"],
  interrupted: ["interrupted"],
};

/** The statuses of calls that are no longer pending, separated by commas. */
export const closedStatuses: string = historyKinds.flatMap((kind) => statusesOf[kind]).join(",");
