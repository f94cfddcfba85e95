import * as z from "zod";

/** One pattern, which the OpenAPI document has: printable ASCII without "#", "@" and a backslash. */
const endpoint = z
  .string()
  .max(1000)
  .regex(/^https:\/\/[!"$-?A-[\]-~]+$/, "must be an https URL without user name and fragment")
  .refine((url) => URL.canParse(url), "must be a URL")
  .describe("The address at the browser's push service. A secret");

/** What `PushSubscription.toJSON()` returns in browsers. */
export const pushSubscriptionBody = z.object({
  endpoint,
  keys: z.object({
    p256dh: z.string().regex(/^B[\w-]{86}$/, "must be a public key of 65 bytes as base64url"),
    auth: z.string().regex(/^[\w-]{22}$/, "must be 16 bytes as base64url"),
  }),
});

export const pushEndpointBody = z.strictObject({ endpoint });

export const pushViewSchema = z.object({
  publicKey: z
    .string()
    .nullable()
    .describe(
      "The applicationServerKey for pushManager.subscribe; null if this server sends no push messages",
    ),
});

export const subscribedSchema = z.object({ subscribed: z.boolean() });
