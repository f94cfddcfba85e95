import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Countersign } from "../../instance/countersign.js";
import type { ApiEnv } from "../api-env.js";

/** More than any channel sends: a click with the whole message around it. */
const maxBytes = 512 * 1024;

/**
 * Requests of channels, such as clicks in Slack. They carry no session: each channel verifies its sender before anything
 * else.
 */
export function addChannelRoutes(api: Hono<ApiEnv>, countersign: Pick<Countersign, "receive">): void {
  const limited = bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      const detail = { maxBytes };
      throw new CountersignError("too_large", `The body must not exceed ${maxBytes} bytes`, { detail });
    },
  });
  api.post("/channels/:name", limited, async (c) => {
    const response = await countersign.receive(c.req.param("name") ?? "", c.req.raw);
    if (!response) throw new CountersignError("not_found", "No channel of this name receives requests");
    return response;
  });
}
