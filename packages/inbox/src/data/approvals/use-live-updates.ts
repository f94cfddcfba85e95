import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Approval } from "../../api/approval.js";
import { type Inbox, useInbox } from "../inbox/inbox-context.js";
import { followUpdates } from "./follow-updates.js";

type OnNew = (approval: Approval) => void;

interface SharedStream {
  listeners: Set<OnNew>;
  stop: () => void;
}

const streams = new WeakMap<Inbox, SharedStream>();

/**
 * Keeps approvals current while it is mounted: all components of one provider share one stream of events. `onNew` is
 * called for each approval that has become pending.
 */
export function useLiveUpdates(onNew: OnNew = nothing): void {
  const inbox = useInbox();
  const client = useQueryClient();
  useEffect(() => join(inbox, client, onNew), [inbox, client, onNew]);
}

function nothing(): void {}

function join(inbox: Inbox, client: QueryClient, onNew: OnNew): () => void {
  const stream = streams.get(inbox) ?? open(inbox, client);
  // Each component gets its own listener, even if several pass the same function.
  const listener: OnNew = (approval) => onNew(approval);
  stream.listeners.add(listener);
  return () => {
    stream.listeners.delete(listener);
    if (stream.listeners.size > 0) return;
    streams.delete(inbox);
    stream.stop();
  };
}

function open(inbox: Inbox, client: QueryClient): SharedStream {
  const listeners = new Set<OnNew>();
  const stop = followUpdates(inbox, client, (approval) => {
    for (const listener of listeners) listener(approval);
  });
  const stream = { listeners, stop };
  streams.set(inbox, stream);
  return stream;
}
