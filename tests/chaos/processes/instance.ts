import { openPolicy } from "@countersign/policy/files";
import { createCountersign } from "countersign/agent-kit";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import { z } from "zod";
import { requester } from "../scenario/people.js";
import { chaosRules } from "../scenario/tools.js";
import { chaosChannels } from "./channels.js";
import { setting } from "./serve.js";
import { undoableTool } from "./tools.js";

export const appId = setting("APP_ID");
export const messageEvent = `${appId}/message`;
export const relayEvent = `${appId}/relay`;
export const messageData = z.object({
  run: z.int(),
  threadId: z.string(),
  format: z.enum(["openai", "anthropic"]),
  agent: z.enum(["agentkit", "loop", "ai-sdk"]),
  previews: z.boolean(),
});

/** Creates the same instance in every process, like an application that runs in several places. */
export function openInstance() {
  const logger = {
    info() {},
    warn() {},
    error: (...words: unknown[]) => console.error(...words),
    debug() {},
  };
  const inngest = new Inngest({ id: appId, isDev: true, baseUrl: setting("ENGINE_URL"), logger });
  const signingKey = process.env.SIGNING_KEY;
  const countersign = createCountersign({
    inngest,
    store: postgresStore({ url: setting("DATABASE_URL"), max: 20 }),
    policy: openPolicy({ defaults: setting("POLICY_FILE"), code: chaosRules() }),
    channels: chaosChannels(),
    tenantId: "acme",
    // Long enough that a run waits for it only if a decision was lost.
    timeout: "20m",
    supersede: "on-new-message",
    limits: { denialsInARow: 100 },
    undoable: [undoableTool()],
    context: () => ({ requester: { id: requester } }),
    ...(signingKey ? { signingKey } : {}),
  });
  return { inngest, countersign };
}
