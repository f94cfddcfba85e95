import type { EventData, EventName } from "../api/contract/event-schemas.js";
import { ApprovalsApiError, problemFrom } from "./errors.js";
import type { ApprovalsClientOptions } from "./options.js";
import { connected, sendRequest } from "./send-request.js";

/** One event of `GET /events`. `id` is set on `change` events only. */
export type ApprovalEvent = {
  [Name in EventName]: { event: Name; id: string | undefined; data: EventData<Name> };
}[EventName];

export interface FollowOptions {
  /** The `id` of the last event received. Events after it are sent first. @default only events from now on */
  after?: string | undefined;
  /** Whether changes come with the approval as lists show it, so that no further request is needed. @default false */
  rows?: boolean;
  /** Ends the stream without an error. */
  signal?: AbortSignal;
}

/** Follows the events of the API. See `ApprovalsClient.followEvents`. */
export async function* followEvents(
  options: ApprovalsClientOptions,
  { after, rows = false, signal }: FollowOptions = {},
): AsyncGenerator<ApprovalEvent, void> {
  try {
    const query = { after, rows: rows ? "true" : undefined };
    const request = { method: "get", path: "/events", accept: "text/event-stream", query, signal };
    const response = await sendRequest(options, request);
    if (!response.ok || !response.body) {
      throw new ApprovalsApiError(problemFrom(response, await response.text()));
    }
    for await (const event of eventsIn(response.body, signal)) {
      if (event.event === "hello") options.onServerTime?.(new Date(event.data.serverTime));
      yield event;
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/** Parses server-sent events as the API writes them: one `data` line each, and comments as heartbeats. */
async function* eventsIn(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ApprovalEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await connected(() => reader.read(), signal);
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) yield event;
      }
    }
  } finally {
    // Closes the connection when the caller leaves the loop early.
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvent(block: string): ApprovalEvent | undefined {
  const fields = new Map(
    block.split("\n").map((line) => {
      const [name = "", value = ""] = line.split(/: ?(.*)/s);
      return [name, value];
    }),
  );
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { event: fields.get("event"), id: fields.get("id"), data: JSON.parse(data) } as ApprovalEvent;
}
