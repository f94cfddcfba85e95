/** One server-sent event as a client reads it. */
export interface ReadEvent {
  event: string;
  id: string | undefined;
  data: Record<string, unknown>;
}

/** Reads a stream of server-sent events one by one. `close()` does what a browser does when its page is left. */
export function readEvents(response: Response) {
  if (!response.body) throw new Error(`no stream: ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  async function next(): Promise<ReadEvent> {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const event = parse(block);
        if (event) return event;
        continue;
      }
      const { done, value } = await reader.read();
      if (done) throw new Error("the stream ended");
      text += value;
    }
  }
  return {
    next,
    /** Reads events up to and including the first that fits. */
    async until(fits: (event: ReadEvent) => boolean): Promise<ReadEvent[]> {
      const read: ReadEvent[] = [];
      for (;;) {
        const event = await next();
        read.push(event);
        if (fits(event)) return read;
      }
    },
    close: () => reader.cancel(),
  };
}

function parse(block: string): ReadEvent | undefined {
  const fields = new Map(
    block.split("\n").flatMap((line) => {
      const at = line.indexOf(": ");
      return at > 0 ? [[line.slice(0, at), line.slice(at + 2)] as const] : [];
    }),
  );
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { event: fields.get("event") ?? "message", id: fields.get("id"), data: JSON.parse(data) };
}
