import { events } from "countersign/internal";
import * as z from "zod";
import type { PlannedFault } from "./simulated-process.js";
import type { EventFate, SentEvent } from "./unstable.js";

const sentEvents = z.array(
  z.looseObject({
    name: z.string(),
    ts: z.number(),
    data: z.record(z.string(), z.unknown()),
    id: z.string().optional(),
  }),
);

/** An engine's `fetch` that can lose and repeat events on their way. */
export function createEventFilter(
  toEngine: typeof fetch,
  onEvent?: (event: SentEvent) => EventFate | Promise<EventFate>,
) {
  let left = 0;
  let current = { happened: 0 };
  const fateOf = async (event: SentEvent): Promise<EventFate> => {
    if (event.name === events.wakeUp && left > 0) {
      left -= 1;
      current.happened += 1;
      return "drop";
    }
    return (await onEvent?.(event)) ?? "deliver";
  };
  const filtered: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const isIdle = left === 0 && onEvent === undefined;
    if (isIdle || !new URL(request.url).pathname.startsWith("/e/")) return toEngine(request);
    const arriving: SentEvent[] = [];
    for (const event of sentEvents.parse(await request.json())) {
      const fate = await fateOf(event);
      if (fate !== "drop") arriving.push(event);
      if (fate === "twice") arriving.push(event);
    }
    const { url, method, headers } = request;
    return toEngine(new Request(url, { method, headers, body: JSON.stringify(arriving) }));
  };
  return {
    fetch: filtered,
    dropWakeUps(count: number): PlannedFault {
      left = count;
      current = { happened: 0 };
      return current;
    },
  };
}
