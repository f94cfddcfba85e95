import { z } from "zod";
import { events } from "../../orchestrator/events.js";
import type { PlannedFault } from "./simulated-process.js";

const sent = z.array(z.looseObject({ name: z.string() }));

/** An engine's `fetch` that can lose wake-ups on their way. */
export function createWakeUpFilter(toEngine: typeof fetch) {
  let left = 0;
  let current = { happened: 0 };
  const isLost = (name: string) => {
    if (name !== events.wakeUp || left === 0) return false;
    left -= 1;
    current.happened += 1;
    return true;
  };
  const filtered: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (left === 0 || !new URL(request.url).pathname.startsWith("/e/")) return toEngine(request);
    const arriving = sent.parse(await request.json()).filter(({ name }) => !isLost(name));
    const { url, method, headers } = request;
    return toEngine(new Request(url, { method, headers, body: JSON.stringify(arriving) }));
  };
  return {
    fetch: filtered,
    drop(count: number): PlannedFault {
      left = count;
      current = { happened: 0 };
      return current;
    },
  };
}
