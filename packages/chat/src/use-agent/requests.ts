import * as z from "zod";

const id = z
  .string("must be a text")
  .regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 printable ASCII characters without spaces");

/** The bodies that the hook's `DefaultHttpTransport` posts. Other fields are ignored. */
export const sentMessage = z.looseObject({
  threadId: id,
  userMessage: z.looseObject({
    id: z
      .string()
      .min(1)
      .max(200)
      .default(() => crypto.randomUUID()),
    content: z
      .string("must be a text")
      .max(100_000)
      .refine((text) => text.trim() !== "", "must not be empty"),
  }),
});

export const tokenRequest = z.looseObject({ threadId: id.nullish() });

export const newThread = z.looseObject({ title: z.string().max(200).nullish() });

export const cancelled = z.looseObject({ threadId: id });

export const sentDecision = z.looseObject({
  toolCallId: z.string().min(1).max(1000),
  threadId: id,
  action: z.enum(["approve", "deny"]),
  digest: z.string().max(200).optional(),
  reason: z.string().max(10_000).nullish(),
});

export const threadsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).max(100_000).default(0),
});
