/** A command or a key of the inbox. */
interface Entry {
  /** By `event.key` in lower case; `mod+k` is Ctrl+K and ⌘K. The first is printed on buttons. */
  keys: readonly string[];
  group: Group;
  label: string;
  /** Whether the command palette leaves it out, because it makes sense only as a key. @default false */
  keyOnly?: true;
}

/** Where a key acts, in the order of the help and of the command palette. */
export const groups = {
  call: "This call",
  list: "List",
  page: "Anywhere",
  denying: "While you deny a call",
  table: "While you review selected calls",
} as const;

export type Group = keyof typeof groups;

/** What a person can do by key and from the command palette. `useCommands` says how, and while it is possible. */
export const commands = {
  approve: { keys: ["a"], group: "call", label: "Approve" },
  approveChanges: { keys: ["mod+enter"], group: "call", label: "Approve with changes" },
  deny: { keys: ["d"], group: "call", label: "Deny" },
  edit: { keys: ["e"], group: "call", label: "Edit" },
  rawJson: { keys: ["r"], group: "call", label: "Show or hide raw JSON" },
  snooze: { keys: ["s"], group: "call", label: "Snooze: put this call aside until a later time" },
  undo: { keys: ["u"], group: "call", label: "Undo this call" },
  print: { keys: [], group: "call", label: "Print this call" },
  cancel: { keys: ["escape"], group: "call", label: "Cancel", keyOnly: true },
  next: { keys: ["j"], group: "list", label: "Next call" },
  previous: { keys: ["k"], group: "list", label: "Previous call" },
  openFirst: { keys: ["enter"], group: "list", label: "Open the most urgent call" },
  select: { keys: ["x"], group: "list", label: "Select or deselect this call" },
  batch: { keys: ["b"], group: "list", label: "Review the selected calls together" },
  filter: { keys: ["f"], group: "list", label: "Show or hide filters" },
  search: { keys: ["/"], group: "list", label: "Search" },
  takeBack: { keys: ["u"], group: "page", label: "Take back your latest decision or snooze" },
  palette: { keys: ["mod+k"], group: "page", label: "Search or do…", keyOnly: true },
  nextPart: { keys: ["f6"], group: "page", label: "Next part of the page", keyOnly: true },
  back: { keys: ["escape"], group: "page", label: "Back to the list" },
  help: { keys: ["?"], group: "page", label: "Keyboard shortcuts" },
  stop: { keys: [], group: "page", label: "Stop or release calls" },
} as const satisfies Record<string, Entry>;

/** Keys that act on the element with the focus, which handles them itself. */
export const localKeys = {
  moveInList: { keys: ["arrowup", "arrowdown"], group: "list", label: "Move between calls" },
  selectInList: { keys: [" "], group: "list", label: "Select the call that has the focus" },
  denyNow: { keys: ["enter"], group: "denying", label: "Deny" },
  reason: { keys: ["1 to 9"], group: "denying", label: "Choose a reason" },
  leaveOut: { keys: [" "], group: "table", label: "Leave the call out, or take it in" },
  denyInTable: { keys: ["d"], group: "table", label: "Deny the call" },
  editInTable: { keys: ["e"], group: "table", label: "Edit the value" },
} as const satisfies Record<string, Entry>;

export type CommandId = keyof typeof commands;
export type KeyId = CommandId | keyof typeof localKeys;

const all: Readonly<Record<KeyId, Entry>> = { ...commands, ...localKeys };
export const commandIds = Object.keys(commands) as CommandId[];
export const keyIds = Object.keys(all) as KeyId[];

export function entryOf(id: KeyId): Entry {
  return all[id];
}
