import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import { CountersignError } from "../errors.js";
import type { ApiEnv } from "./api-env.js";
import { type Contract, type ContractOf, contract } from "./contract/contract.js";
import { type EndpointName, endpoints } from "./endpoints.js";
import { answerUnlessKnown } from "./entity-tag.js";
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
      body: body && parseOrRefuse(body, await jsonOf(c), "body"),
    } as Input<Name>;
    const answer = await handler(input, c);
    return method === "get" ? answerUnlessKnown(c, answer) : c.json(answer);
  });
}

/** The body, or `undefined` where it is not JSON after all. */
async function jsonOf({ req }: Context<ApiEnv>): Promise<unknown> {
  // Pages of other sites can send forms and plain text without asking first, but not this.
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(req.header("content-type") ?? "")) {
    throw new CountersignError("unsupported_media_type", "Send JSON, with Content-Type: application/json");
  }
  return req.json().catch(() => undefined);
}
