import { counted } from "../plural.js";

/** Texts of who views a request, to whom it is assigned, and how long it waits. */
export const people = {
  viewing: (names: readonly string[]) =>
    `${names.join(", ")} ${names.length === 1 ? "is" : "are"} also viewing this`,
  assignedToYou: "Assigned to you",
  assignedTo: (who: string) => `Assigned to ${who}`,
  assignToMe: "Assign to me",
  unassign: "Unassign",
  reassign: "Reassign",
  assign: {
    to: "Assign to",
    id: "Person's ID",
    example: "For example, lead",
    find: "Find by name or role",
    someoneElse: "Someone else",
    loading: "Loading people",
    delegates: "They can decide this whatever their role. You can still decide it too.",
    onlyShows: "It is shown as assigned to them. Only its approvers can decide it.",
    submit: "Assign",
    sending: "Assigning",
  },
  extend: "Extend",
  extendBy: { "10m": "10 more minutes", "1h": "1 more hour", "1d": "1 more day" },
  extensionsLeft: (count: number) => counted(count, "extension left", "extensions left"),
  snooze: "Snooze",
  snoozeCall: "Snooze this",
  snoozedUntil: (time: string) => `Snoozed until ${time}`,
  snoozeNote: "Out of your list until then. Others still see it.",
  endsTooSoon: "It ends too soon to be put aside",
  bringBack: "Bring back now",
};
