import { email } from "@countersign/channels/email";
import { webhooks } from "@countersign/channels/webhooks";
import { agUi } from "@countersign/chat/ag-ui";
import { summaryText } from "@countersign/policy/display";
import { parsePolicyFile } from "@countersign/policy/files";
import { createTestHarness } from "@countersign/testing";
import {
  createAgent,
  createNetwork,
  createState,
  createTool,
  type Network,
  openai,
} from "@inngest/agent-kit";
import { allow, ask, definePolicy, type Principal } from "countersign";
import { type Countersign, createCountersign } from "countersign/agent-kit";
import { cookieSessionAuthenticator } from "countersign/auth";
import { createApprovalsClient } from "countersign/client";
import { verifyEvidence } from "countersign/evidence";
import { approvalsApi } from "countersign/hono";
import { createMetrics } from "countersign/metrics";
import { toNextHandlers } from "countersign/next";
import { pgliteStore } from "countersign/pglite";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { z } from "zod";

interface ShopState {
  userId: string;
  orders?: string[];
}

const inngest = new Inngest({ id: "shop" });
const store = postgresStore({ url: "postgres://127.0.0.1/shop" });
const countersign = createCountersign<ShopState>({
  inngest,
  store,
  policy: definePolicy({ tools: { look_up: allow(), refund: ask({ approvers: { roles: ["finance"] } }) } }),
  context: ({ state }) => ({ requester: { id: state.data.userId } }),
});

const refund = createTool({
  name: "refund",
  parameters: z.object({ orderId: z.string(), amount: z.number() }),
  handler: ({ orderId, amount }) => ({ orderId, amount }),
});

const shop = createAgent<ShopState>({ name: "shop", system: "You help.", tools: [refund] });
const billing = createAgent<ShopState>({ name: "billing", system: "You pay.", tools: [refund] });

const network: Network<ShopState> = countersign.guard(
  createNetwork<ShopState>({
    name: "shop",
    agents: [shop, billing],
    defaultModel: openai({ model: "gpt-4.1-mini" }),
    history: countersign.history,
    router: ({ network, callCount }) =>
      callCount > 3 ? undefined : network.state.data.orders?.length ? billing : shop,
  }),
);

const chat = inngest.createFunction({ id: "chat", triggers: [{ event: "chat" }] }, async ({ step }) => {
  const answer = await countersign.requireApproval(step, {
    action: "close the shop",
    details: { why: "holiday" },
  });
  if (answer.approved) await network.run("Hello", { state: createState<ShopState>({ userId: "rita" }) });
});

declare const authenticate: (request: Request) => Promise<Principal | null>;
export const api = approvalsApi(countersign, { authenticate });
export const handlers = toNextHandlers(api, { basePath: "/api" });
export const handler = serve({ client: inngest, functions: [...countersign.functions, chat] });
export const any: Countersign = countersign;
export const used = [
  agUi,
  cookieSessionAuthenticator,
  createApprovalsClient,
  createMetrics,
  createTestHarness,
  email,
  parsePolicyFile,
  pgliteStore,
  summaryText,
  verifyEvidence,
  webhooks,
];
