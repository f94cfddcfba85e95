import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import type { ApiEnv } from "./api-env.js";
import { type Contract, type ContractOf, contract } from "./contract/contract.js";
import { type EndpointName, endpoints } from "./endpoints.js";
import { parseOrRefuse } from "./problem.js";

/** Largest body of a request that says nothing else, in bytes. */
const usualBodyBytes = 64 * 1024;

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** What a handler gets: every part of the request, checked by the endpoint's schemas. */
export interface Input<Name extends EndpointName> {
  params: { id: string };
  query: ContractOf<Name> extends { query: infer Schema } ? Output<Schema> : undefined;
  body: ContractOf<Name> extends { body: infer Schema } ? Output<Schema> : undefined;
}

/** What a handler must give: what the endpoint's response schema takes. */
export type Answer<Name extends EndpointName> = z.input<ContractOf<Name>["response"]>;

export type Handler<Name extends EndpointName> = (
  input: Input<Name>,
  c: Context<ApiEnv>,
) => Answer<Name> | Promise<Answer<Name>>;

/** Serves one endpoint of the contract: its schemas refuse what is malformed before the handler is asked. */
export function serve<Name extends EndpointName>(
  api: Hono<ApiEnv>,
  name: Name,
  handler: Handler<Name>,
): void {
  const { method, path } = endpoints[name];
  const { query, body, maxBodyBytes = usualBodyBytes }: Contract = contract[name];
  api.on(method.toUpperCase(), path, bodyLimit({ maxSize: maxBodyBytes }), async (c) => {
    const input = {
      params: { id: c.req.param("id") ?? "" },
      query: query && parseOrRefuse(query, c.req.query(), "query"),
      body: body && parseOrRefuse(body, await c.req.json().catch(() => undefined), "body"),
    } as Input<Name>;
    return c.json(await handler(input, c));
  });
}
