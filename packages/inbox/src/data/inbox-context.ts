import { createContext, useContext } from "react";
import { createApi, type InboxApi } from "../api/create-api.js";
import { createServerClock, type ServerClock } from "../api/server-clock.js";
import type { InboxConfig } from "./inbox-config.js";
import { createValueStore, type ValueStore } from "./value-store.js";

/** What somebody typed about one approval and has not sent. */
export interface Draft {
  fields: Readonly<Record<string, string>>;
  denyReason: string;
  answer: Readonly<Record<string, string>>;
  note: string;
}

export const emptyDraft: Draft = { fields: {}, denyReason: "", answer: {}, note: "" };

export type LinkState = "connecting" | "live" | "polling" | "offline";

/** What the parts of one inbox share. */
export interface Inbox {
  config: InboxConfig;
  api: InboxApi;
  clock: ServerClock;
  /** Unsent words by the approval's id: kept while the page is open, whoever decides first. */
  drafts: ValueStore<ReadonlyMap<string, Draft>>;
  /** Digests of the approvals that were opened here, by id. */
  opened: ValueStore<ReadonlyMap<string, string>>;
  selected: ValueStore<ReadonlySet<string>>;
  link: ValueStore<LinkState>;
  /** Whether single letters act as shortcuts; some people's input methods need them not to. */
  singleKeys: ValueStore<boolean>;
}

export function createInbox(config: InboxConfig): Inbox {
  const clock = createServerClock();
  return {
    config,
    clock,
    api: createApi(config.apiBase, clock),
    drafts: createValueStore<ReadonlyMap<string, Draft>>(new Map()),
    opened: createValueStore<ReadonlyMap<string, string>>(new Map()),
    selected: createValueStore<ReadonlySet<string>>(new Set()),
    link: createValueStore<LinkState>("connecting"),
    singleKeys: createValueStore(true),
  };
}

export const InboxContext = createContext<Inbox | null>(null);

/** The inbox around a component. */
export function useInbox(): Inbox {
  const inbox = useContext(InboxContext);
  if (!inbox) throw new Error("This component needs a <CountersignInboxProvider> around it");
  return inbox;
}
