import { createHash } from "node:crypto";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { isPrivateLiteral } from "@countersign/policy/internal/shared/public-address";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import { deliveryEvents } from "countersign";
import type { DeliveryEvent } from "countersign/types";
import * as z from "zod";
import { secretFix, signingKeyOf } from "./signing-secret.js";

/** Where webhooks are sent. */
export interface WebhookEndpoint {
  /** The endpoint's name in deliveries and logs, and after the colon in rules. @default derived from `url` */
  id?: string;
  /** An https address. */
  url: string;
  /**
   * `whsec_` and the base64 of 24 to 64 random bytes. A list of secrets signs each request with all of them, so that a
   * receiver can change from one to the next.
   */
  secret: string | readonly string[];
  /** The events that it receives. @default all */
  events?: readonly DeliveryEvent[];
  /** Whether it receives the arguments of calls, without what redaction hides. @default false */
  arguments?: boolean;
  /**
   * Allows private addresses and http. Only for addresses that you chose yourself, never for those of your customers.
   * @default false
   */
  allowPrivate?: boolean;
}

/** An endpoint after its check. */
export interface CheckedEndpoint {
  id: string;
  url: URL;
  keys: readonly Buffer[];
  events: readonly DeliveryEvent[] | undefined;
  withArguments: boolean;
  allowPrivate: boolean;
}

const urlFix = "must be an https URL without user name and password";

const urlSchema = z.string({ error: urlFix }).transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && url.username === "" && url.password === "") return url;
  context.addIssue({ code: "custom", message: urlFix });
  return z.NEVER;
});

const keySchema = z.string({ error: secretFix }).transform((secret, context) => {
  const key = signingKeyOf(secret);
  if (key) return key;
  context.addIssue({ code: "custom", message: secretFix });
  return z.NEVER;
});

const endpointSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, hyphens and underscores")
      .optional(),
    url: urlSchema,
    secret: z.preprocess(
      (secret) => (Array.isArray(secret) ? secret : [secret]),
      z.array(keySchema).min(1, secretFix),
    ),
    events: z.array(z.enum(deliveryEvents)).min(1, "must name an event; omit it for all events").optional(),
    arguments: z.boolean().default(false),
    allowPrivate: z.boolean().default(false),
  })
  .superRefine(({ url, allowPrivate }, context) => {
    const problem = addressProblem(url, allowPrivate);
    if (problem !== undefined) context.addIssue({ code: "custom", path: ["url"], message: problem });
  });

function addressProblem(url: URL, allowPrivate: boolean): string | undefined {
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:"))
    return allowPrivate ? "must be an https or http URL" : urlFix;
  if (!allowPrivate && isPrivateLiteral(url))
    return "is a private or reserved address; set allowPrivate: true if it is meant";
  return undefined;
}

/**
 * Checks a list of endpoints.
 * @throws CountersignError `invalid_option`, naming the fields. Never quotes a secret or a URL.
 */
export function checkedEndpoints(value: unknown): CheckedEndpoint[] {
  const parsed = z.array(endpointSchema, { error: "must be a list of endpoints" }).safeParse(value);
  if (parsed.error)
    throw new CountersignError("invalid_option", zodProblems(parsed.error, "endpoints").join("; "));
  const endpoints = parsed.data.map((endpoint) => ({
    id: endpoint.id ?? derivedEndpointId(endpoint.url),
    url: endpoint.url,
    keys: endpoint.secret,
    events: endpoint.events,
    withArguments: endpoint.arguments,
    allowPrivate: endpoint.allowPrivate,
  }));
  const ids = endpoints.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined)
    throw new CountersignError("invalid_option", `endpoints: two of them have the id "${repeated}"`);
  return endpoints;
}

/** A URL may hold a secret, so its hash is the id. */
function derivedEndpointId(url: URL): string {
  return createHash("sha256").update(url.href).digest("hex").slice(0, 16);
}
