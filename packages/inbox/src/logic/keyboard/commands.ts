/** A command or a key of the inbox. */
interface Entry {
  /** By `event.key` in lower case; `mod+k` is Ctrl+K and ⌘K. The first is printed on buttons. */
  keys: readonly string[];
  group: Group;
  /** Whether the command palette leaves it out, because it makes sense only as a key. @default false */
  keyOnly?: true;
}

/** Where a key acts, in the order of the help and of the command palette. */
export const groups = ["call", "list", "page", "denying", "table"] as const;

export type Group = (typeof groups)[number];

/** What a person can do by key and from the command palette. `useCommands` says how, and while it is possible. */
export const commands = {
  approve: { keys: ["a"], group: "call" },
  approveChanges: { keys: ["mod+enter"], group: "call" },
  deny: { keys: ["d"], group: "call" },
  allow: { keys: ["g"], group: "call" },
  edit: { keys: ["e"], group: "call" },
  rawJson: { keys: ["r"], group: "call" },
  snooze: { keys: ["s"], group: "call" },
  assign: { keys: [], group: "call" },
  reassign: { keys: [], group: "call" },
  extend: { keys: [], group: "call" },
  undo: { keys: ["u"], group: "call" },
  print: { keys: [], group: "call" },
  cancel: { keys: ["escape"], group: "call", keyOnly: true },
  next: { keys: ["j"], group: "list" },
  previous: { keys: ["k"], group: "list" },
  openFirst: { keys: ["enter"], group: "list" },
  select: { keys: ["x"], group: "list" },
  selectTo: { keys: ["shift+x"], group: "list", keyOnly: true },
  selectAll: { keys: ["mod+a"], group: "list" },
  batch: { keys: ["b"], group: "list" },
  filter: { keys: ["f"], group: "list" },
  search: { keys: ["/"], group: "list" },
  takeBack: { keys: ["u"], group: "page" },
  palette: { keys: ["mod+k"], group: "page", keyOnly: true },
  nextPart: { keys: ["f6"], group: "page", keyOnly: true },
  back: { keys: ["escape"], group: "page" },
  help: { keys: ["?"], group: "page" },
  stop: { keys: [], group: "page" },
} as const satisfies Record<string, Entry>;

/** Keys that act on the element with the focus, which handles them itself. */
export const localKeys = {
  approveNow: { keys: ["enter"], group: "call" },
  moveInList: { keys: ["arrowup", "arrowdown"], group: "list" },
  selectInList: { keys: [" "], group: "list" },
  denyNow: { keys: ["enter"], group: "denying" },
  reason: { keys: ["1-9"], group: "denying" },
  leaveOut: { keys: [" "], group: "table" },
  denyInTable: { keys: ["d"], group: "table" },
  openFromTable: { keys: ["enter"], group: "table" },
} as const satisfies Record<string, Entry>;

export type CommandId = keyof typeof commands;
export type KeyId = CommandId | keyof typeof localKeys;

const all: Readonly<Record<KeyId, Entry>> = { ...commands, ...localKeys };
export const commandIds = Object.keys(commands) as CommandId[];
export const keyIds = Object.keys(all) as KeyId[];

export function entryOf(id: KeyId): Entry {
  return all[id];
}

/** Whether the first key of a command runs it: no other command that is `possible` comes before it with the same key. */
export function actsByKey(id: CommandId, possible: readonly CommandId[]): boolean {
  const [key] = entryOf(id).keys;
  const first = inOrder.find((each) => (each === id || possible.includes(each)) && hasKey(each, key));
  return first === id;
}

/** Commands of the open call come before those of the list, and these before those of the page. */
const inOrder = commandIds.toSorted((a, b) => groups.indexOf(all[a].group) - groups.indexOf(all[b].group));

function hasKey(id: CommandId, key: string | undefined): boolean {
  return key !== undefined && entryOf(id).keys.includes(key);
}
