import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { parseOrRefuse } from "@countersign/policy/internal/shared/parse-or-refuse";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type * as z from "zod";
import type { ApiEnv } from "./api-env.js";
import { type Contract, type ContractOf, contract } from "./contract/contract.js";
import { type EndpointName, endpoints } from "./endpoints.js";
import { answerUnlessKnown } from "./entity-tag.js";

/** Default maximum body size in bytes. */
const defaultBodyBytes = 64 * 1024;

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** A handler's input: the request, validated by the endpoint's schemas. */
export interface Input<Name extends EndpointName> {
  params: { id: string };
  query: ContractOf<Name> extends { query: infer Schema } ? Output<Schema> : undefined;
  body: ContractOf<Name> extends { body: infer Schema } ? Output<Schema> : undefined;
}

/** A handler's result: the input type of the endpoint's response schema. */
export type Answer<Name extends EndpointName> = z.input<ContractOf<Name>["response"]>;

export type Handler<Name extends EndpointName> = (
  input: Input<Name>,
  c: Context<ApiEnv>,
) => Answer<Name> | Promise<Answer<Name>>;

/** Serves one endpoint of the contract. Its schemas reject invalid requests before the handler runs. */
export function serve<Name extends EndpointName>(
  api: Hono<ApiEnv>,
  name: Name,
  handler: Handler<Name>,
): void {
  const { method, path } = endpoints[name];
  const { query, body, maxBodyBytes = defaultBodyBytes }: Contract = contract[name];
  api.on(method.toUpperCase(), path, limitBody(maxBodyBytes), async (c) => {
    const input = {
      params: { id: c.req.param("id") ?? "" },
      query: query && parseOrRefuse(query, c.req.query(), "query"),
      body: body && parseOrRefuse(body, await jsonOf(c), "body"),
    } as Input<Name>;
    const answer = await handler(input, c);
    return method === "get" ? answerUnlessKnown(c, answer) : c.json(answer);
  });
}

function limitBody(maxBytes: number): MiddlewareHandler<ApiEnv> {
  return bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw new CountersignError("too_large", `The body must not exceed ${maxBytes} bytes`, {
        detail: { maxBytes },
      });
    },
  });
}

/** The parsed body, or `undefined` if it is not valid JSON. */
async function jsonOf({ req }: Context<ApiEnv>): Promise<unknown> {
  // Other sites can send forms and plain text without a CORS preflight, but not JSON.
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(req.header("content-type") ?? "")) {
    throw new CountersignError("unsupported_media_type", "Send JSON, with Content-Type: application/json");
  }
  return req.json().catch(() => undefined);
}
