import { z } from "zod";
import type { Note } from "./note.js";

const checkpoint = z.looseObject({
  run_id: z.string(),
  steps: z.array(z.looseObject({ data: z.unknown() })),
});

/** What happens to the checkpoints of a step. Its output says so, as it is all that a checkpoint shows. */
const fate = z.looseObject({ key: z.string(), checkpoint: z.enum(["twice", "lost"]) });

/** A `fetch` for the SDK that loses and repeats checkpoints. A repeated one comes with another output. */
export function interceptCheckpoints(note: Note): typeof fetch {
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    const body = /\/v1\/checkpoint\//.test(url)
      ? checkpoint.safeParse(JSON.parse(String(init?.body ?? "{}")))
      : undefined;
    const of = fate.safeParse(body?.data?.steps[0]?.data);
    if (!body?.data || !of.success) return fetch(input, init);
    if (of.data.checkpoint === "lost") {
      note(of.data.key, "lost", true);
      return new Response("lost", { status: 503 });
    }
    const first = await fetch(input, init);
    const steps = body.data.steps.map((step) => ({ ...step, data: { ...of.data, came: "second" } }));
    const second = await fetch(input, { ...init, body: JSON.stringify({ ...body.data, steps }) });
    note(of.data.key, "statuses", [first.status, second.status]);
    note(of.data.key, "checkpoint", { url, body: String(init?.body) });
    return first;
  };
}
