import { didYouMean } from "@countersign/policy/internal/shared/did-you-mean";
import { dayMs, durationMs } from "@countersign/policy/internal/shared/duration";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { timeoutSignal } from "@countersign/policy/internal/shared/timeout-signal";
import type { Channel } from "countersign";
import type { Delivery, DeliveryEvent, Sent } from "countersign/types";
import { type CheckedEndpoint, checkedEndpoints, type WebhookEndpoint } from "./endpoints.js";
import { webhookPayload } from "./payload.js";
import { type Network, post, systemNetwork } from "./post.js";
import { retryPauseMs } from "./retry-schedule.js";
import { failedBy, sentBy } from "./sent-by.js";
import { signedHeaders } from "./signing-secret.js";

export interface WebhooksOptions {
  /**
   * Where webhooks are sent. A list receives the approvals of all tenants; a function returns the endpoints of one tenant,
   * and is called for each message.
   */
  endpoints:
    | readonly WebhookEndpoint[]
    | ((tenantId: string) => Promise<readonly WebhookEndpoint[]> | readonly WebhookEndpoint[]);
  /**
   * Disables an endpoint after this time in which every message to it failed: a duration of at least a day, or `false`
   * for never. A replayed message that is delivered enables it again.
   * @default "5d"
   */
  disableAfter?: string | false;
}

/**
 * Milliseconds for one attempt. Less than the limit for all channels, so that a status that has arrived still counts.
 */
const timeoutMs = 14_500;

/** @see webhooks in `@countersign/channels/webhooks` */
export function webhooksChannel(options: WebhooksOptions, network: Network = systemNetwork): Channel {
  const endpointsOf = endpointsBy(options?.endpoints);
  const disableAfterMs = disableAfterOf(options.disableAfter ?? "5d");
  const events = Array.isArray(options.endpoints)
    ? reportedEvents(checkedEndpoints(options.endpoints))
    : undefined;

  return {
    name: "webhooks",
    mode: "events",
    ...(events && { events }),
    everyApproval: true,
    ...(disableAfterMs !== undefined && { disableAfterMs }),
    retryDelayMs: (failures) => retryPauseMs(failures, Math.random()),
    async recipients(target, { tenantId }) {
      const endpoints = await endpointsOf(tenantId);
      // Endpoints get every approval even if no rule names them.
      if (target !== null) return known(endpoints, target);
      return endpoints.map(({ id, url }) => ({ id, label: `${id} (${url.hostname})` }));
    },
    async send(delivery, signal) {
      const endpoint = (await endpointsOf(delivery.card.tenantId)).find(
        ({ id }) => id === delivery.recipient.id,
      );
      if (!endpoint) return { ok: false, error: "The endpoint is no longer configured", permanent: true };
      if (endpoint.events && !endpoint.events.includes(delivery.event))
        return { ok: true, reference: null, skipped: "The endpoint does not receive this event" };
      const limited = AbortSignal.any([signal, timeoutSignal(timeoutMs)]);
      return attempt(delivery, endpoint, network, limited);
    },
  };
}

async function attempt(
  delivery: Delivery,
  endpoint: CheckedEndpoint,
  network: Network,
  signal: AbortSignal,
): Promise<Sent> {
  const { url, keys, allowPrivate } = endpoint;
  const body = JSON.stringify(webhookPayload(delivery, endpoint));
  const headers = {
    "content-type": "application/json",
    "user-agent": "countersign",
    ...signedHeaders(keys, { id: delivery.messageId, body, at: new Date() }),
  };
  try {
    return sentBy(await post({ url, headers, body, allowPrivate, signal }, network), new Date());
  } catch (error) {
    return failedBy(error, signal);
  }
}

function disableAfterOf(disableAfter: string | false): number | undefined {
  if (disableAfter === false) return undefined;
  const ms = typeof disableAfter === "string" ? durationMs(disableAfter) : undefined;
  if (ms === undefined || ms < dayMs)
    throw new CountersignError(
      "invalid_option",
      'disableAfter: must be a duration of at least a day, such as "5d", or false',
    );
  return ms;
}

function endpointsBy(
  endpoints: WebhooksOptions["endpoints"],
): (tenantId: string) => Promise<CheckedEndpoint[]> {
  if (typeof endpoints === "function") return async (tenantId) => checkedEndpoints(await endpoints(tenantId));
  const checked = checkedEndpoints(endpoints);
  return async () => checked;
}

/** The events that any endpoint receives; `undefined` for all. */
function reportedEvents(endpoints: readonly CheckedEndpoint[]): DeliveryEvent[] | undefined {
  if (endpoints.some(({ events }) => events === undefined)) return undefined;
  return [...new Set(endpoints.flatMap(({ events }) => events ?? []))];
}

function known(endpoints: readonly CheckedEndpoint[], target: string): [] {
  const ids = endpoints.map(({ id }) => id);
  if (ids.includes(target)) return [];
  throw new CountersignError(
    "invalid_option",
    `endpoints: none has the id "${target}"${didYouMean(target, ids)}`,
  );
}
