import { Hono } from "hono";
import { limitBody, maxBodyBytes } from "./body-limits.js";
import { problem } from "./problem.js";

export interface FunctionsDeps {
  path: string;
  /** The SDK's handler. It verifies signatures unless it is in development mode. */
  handler: (request: Request) => Promise<Response>;
  /** Whether calls must be signed. */
  signed: boolean;
  /** Called for the first call without a valid signature. */
  onFirstRefused: () => void;
}

/** Serves the SDK's handler, which the engine calls to run functions. */
export function functionsRoute({ path, handler, signed, onFirstRefused }: FunctionsDeps): Hono {
  let refused = false;
  const unauthorized = () => {
    if (!refused) onFirstRefused();
    refused = true;
    return problem(401, "Not signed by the engine", "This call carries no valid signature.", {
      code: "unauthenticated",
    });
  };
  const route = new Hono();
  route.on(
    ["GET", "PUT", "POST"],
    path,
    async (context, next) =>
      // Without a signature there is no need to read the body.
      signed && !context.req.header("x-inngest-signature") ? unauthorized() : next(),
    limitBody(maxBodyBytes.functions),
    async (context) => {
      const response = await handler(context.req.raw).catch(orMalformed);
      return response.status === 401 ? unauthorized() : response;
    },
  );
  return route;
}

function orMalformed(error: unknown): Response {
  if (!(error instanceof SyntaxError)) throw error;
  return problem(400, "The request is invalid", "The body is not JSON.", { code: "invalid_request" });
}
