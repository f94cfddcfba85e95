import { type ApprovalsClient, type ApprovalsClientOptions, createApprovalsClient } from "countersign/client";
import { createContext, useContext } from "react";
import type { Approval } from "../../api/approval.js";
import { createServerClock, type ServerClock } from "../../api/server-clock.js";
import type { CommandId } from "../../logic/keyboard/commands.js";
import type { Queue } from "../../logic/lists/queue.js";
import type { Reviewed } from "../../logic/review/reviewed.js";
import { type BulkDraft, createBulkDraft } from "./bulk-draft.js";
import type { InboxConfig } from "./inbox-config.js";
import { createValueStore, type ValueStore } from "./value-store.js";

/** Unsent input for one approval. */
export interface Draft {
  fields: Readonly<Record<string, string>>;
  denyReason: string;
  undoReason: string;
  answer: Readonly<Record<string, string>>;
  note: string;
  /** The address of a question that the reader has opened. */
  openedAddress: string;
}

export const emptyDraft: Draft = {
  fields: {},
  denyReason: "",
  undoReason: "",
  answer: {},
  note: "",
  openedAddress: "",
};

/** An error for the reader. */
export interface Notice {
  id: string;
  error: unknown;
}

/** A command that is possible now. */
export interface OfferedCommand {
  id: CommandId;
  run: () => void;
}

/** What the reader has decided or put aside in one step. */
export interface OwnDecision {
  /** That of its first approval. */
  id: string;
  approvals: readonly Approval[];
}

export type LinkState = "connecting" | "live" | "polling" | "offline";

/** State that the components of one inbox share. */
export interface Inbox {
  config: InboxConfig;
  api: ApprovalsClient;
  clock: ServerClock;
  /** Tells the host that the reader has decided a call. */
  onDecided: (approval: Approval) => void;
  /** Unsent input by approval id. Kept while the page is open, even if someone else decides first. */
  drafts: ValueStore<ReadonlyMap<string, Draft>>;
  /** What the reader has reviewed, by approval id. */
  reviewed: ValueStore<ReadonlyMap<string, Reviewed>>;
  selected: ValueStore<ReadonlySet<string>>;
  /** Unsent choices about the selected calls. Kept until they are sent or no longer selected. */
  bulkDraft: ValueStore<BulkDraft>;
  /** What the reader has just decided, oldest first, as long as it is reported. */
  ownDecisions: ValueStore<readonly OwnDecision[]>;
  /** What went wrong with actions that have no place of their own, as long as it is reported. */
  notices: ValueStore<readonly Notice[]>;
  queue: ValueStore<Queue>;
  /** How often calls have appeared, changed or left, which moves the buttons of the others. */
  moves: ValueStore<number>;
  link: ValueStore<LinkState>;
  /** What the command palette offers. */
  offered: ValueStore<readonly OfferedCommand[]>;
  /** How many dialogs and menus are open over the page. */
  covers: ValueStore<number>;
  /** Whether single letters act as shortcuts. Some input methods conflict with them. */
  singleKeys: ValueStore<boolean>;
}

/** Time limit for a response of the API, in milliseconds. */
const timeoutMs = 20_000;

/** How the components reach the API, if not with the session cookie of the page. */
export type InboxClientOptions = Pick<ApprovalsClientOptions, "token" | "fetch">;

export function createInbox(
  config: InboxConfig,
  client: InboxClientOptions = {},
  onDecided: Inbox["onDecided"] = () => {},
): Inbox {
  const clock = createServerClock();
  const selected = createValueStore<ReadonlySet<string>>(new Set());
  return {
    config,
    clock,
    onDecided,
    api: createApprovalsClient({ ...client, baseUrl: config.apiBase, timeoutMs, onServerTime: clock.set }),
    drafts: createValueStore<ReadonlyMap<string, Draft>>(new Map()),
    reviewed: createValueStore<ReadonlyMap<string, Reviewed>>(new Map()),
    selected,
    bulkDraft: createBulkDraft(selected),
    ownDecisions: createValueStore<readonly OwnDecision[]>([]),
    notices: createValueStore<readonly Notice[]>([]),
    queue: createValueStore<Queue>({ ids: [], place: undefined }),
    moves: createValueStore(0),
    link: createValueStore<LinkState>("connecting"),
    offered: createValueStore<readonly OfferedCommand[]>([]),
    covers: createValueStore(0),
    singleKeys: createValueStore(true),
  };
}

export const InboxContext = createContext<Inbox | null>(null);

/** The inbox of the nearest provider. */
export function useInbox(): Inbox {
  const inbox = useContext(InboxContext);
  if (!inbox) throw new Error("This component needs a <CountersignInboxProvider> around it");
  return inbox;
}
