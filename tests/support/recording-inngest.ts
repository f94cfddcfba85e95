import { Inngest } from "inngest";

export interface SentEvent {
  id: string;
  name: string;
  ts: number;
  data: Record<string, unknown>;
}

/** An Inngest client whose engine only records events. It fails while `isDown` is set. */
export function recordingInngest() {
  const sent: SentEvent[] = [];
  const engine = { isDown: false, refuses: (_event: SentEvent): boolean => false };
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const inngest = new Inngest({
    id: "recorded",
    isDev: true,
    baseUrl: "http://engine.example",
    logger: silent,
    async fetch(_url, init) {
      if (engine.isDown) return Response.json({ error: "down", status: 400 }, { status: 400 });
      const events = JSON.parse(String(init?.body)) as SentEvent[];
      if (events.some(engine.refuses))
        return Response.json({ error: "refused", status: 400 }, { status: 400 });
      sent.push(...events);
      // Without an id for each event, the client would send all of them again.
      return Response.json({ ids: events.map(({ id }) => id ?? "event"), status: 200 });
    },
  });
  return { inngest, sent, engine };
}
