import { z } from "zod";

export const unfinishedRow = z.object({
  kind: z.string(),
  id: z.string(),
  status: z.string(),
  detail: z.string().nullable(),
});

/** Something that has not ended: a run, a request, an approval, a wake-up in the outbox. */
export type Unfinished = z.infer<typeof unfinishedRow>;
