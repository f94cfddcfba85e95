import { maxUnread } from "./bounded-stream.js";
import type { VisibleChange } from "./visible-changes.js";

/** Types of audit entries after which a call needs no decision any more. */
const closing: ReadonlySet<string> = new Set([
  "approval.approved",
  "approval.edited",
  "approval.denied",
  "approval.responded",
  "approval.expired",
  "approval.withdrawn",
]);

/** Server-sent events for clients before 2026, which open one stream for all notifications. */
export interface NoticeStream {
  response: Response;
  changed(change: VisibleChange): void;
  beat(): void;
  end(): void;
}

export function openNoticeStream(onEnd: () => void): NoticeStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const end = () => {
    if (!controller) return;
    controller = undefined;
    onEnd();
  };
  const body = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
    },
    cancel: end,
  });
  const close = () => {
    controller?.close();
    end();
  };
  const write = (text: string) => {
    controller?.enqueue(encoder.encode(text));
    // A client that does not read is disconnected. It connects again when it reads.
    if (controller && (controller.desiredSize ?? 0) < -maxUnread) close();
  };
  const notify = (method: string, params?: object) =>
    write(`data: ${JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) })}\n\n`);
  return {
    response: new Response(body, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      },
    }),
    changed({ approvalId, type }) {
      notify("notifications/resources/list_changed");
      // The id of the elicitation that asked to open the inbox is the approval's.
      if (closing.has(type)) notify("notifications/elicitation/complete", { elicitationId: approvalId });
    },
    beat: () => write(": still here\n\n"),
    end: close,
  };
}
