import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import { resourceUri } from "../resources.js";
import type { VisibleChange } from "./visible-changes.js";

/** Hands the changes that one person may see to the stream of that person's request. */
export function createChangeBus(
  onIdle: () => void,
): ServerEventBus & { changed(change: VisibleChange): void; isIdle(): boolean } {
  const listeners = new Set<(event: ServerEvent) => void>();
  const publish = (event: ServerEvent) => {
    for (const listener of listeners) listener(event);
  };
  return {
    publish,
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) onIdle();
      };
    },
    isIdle: () => listeners.size === 0,
    changed({ approvalId }) {
      publish({ kind: "resource_updated", uri: resourceUri(approvalId) });
      publish({ kind: "resources_list_changed" });
    },
  };
}
