import type { Countersign, Principal } from "countersign";
import { type ApprovalsApiOptions, approvalsApi } from "countersign/hono";
import type { Store } from "./store.js";

/** One request of an attacker. */
export interface Attack {
  method?: string;
  path: string;
  /** A string is sent unchanged, everything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** The API, with requests as any principal; `null` is a client that has not signed in. */
export function apiFor(countersign: Countersign, options: Partial<ApprovalsApiOptions> = {}) {
  const header = "x-signed-in";
  const api = approvalsApi(countersign, {
    authenticate: (request) => JSON.parse(decodeURIComponent(request.headers.get(header) ?? "null")),
    // Attacks must be refused for what they are, not for how often they are tried.
    rateLimit: false,
    ...options,
  });
  const request = (principal: Principal | null, { method, path, body, headers }: Attack) =>
    api.request(path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        "content-type": "application/json",
        ...headers,
        [header]: encodeURIComponent(JSON.stringify(principal)),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const attack = async (principal: Principal | null, sent: Attack) => {
    const response = await request(principal, sent);
    const text = await response.text();
    const isJson = /^application\/(problem\+)?json/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      text,
      headers: response.headers,
      body: isJson && text ? JSON.parse(text) : {},
    };
  };
  return { api, request, attack };
}

/** The refused attempts in the audit log of a call, in order. */
export async function refusals(store: Store, approvalId: string, tenantId = "acme") {
  const trail = await store.auditTrail(tenantId, approvalId);
  return trail
    .filter(({ type }) => type.endsWith(".refused"))
    .map(({ type, actorId, data: { code, times } }) => ({
      ...{ type, actorId, code },
      ...(times === undefined ? {} : { times }),
    }));
}
