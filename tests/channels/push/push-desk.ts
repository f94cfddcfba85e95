import { lookup } from "node:dns";
import { createPushChannel } from "@countersign/channels/internal";
import type { Approval, Principal } from "countersign";
import { approvalsApi } from "countersign/hono";
import webPush from "web-push";
import { openDeliveryDesk } from "../../support/delivery-desk.js";
import { proposeCall } from "../../support/proposals.js";
import type { Store } from "../../support/store.js";
import { openPushService } from "./push-service.js";

export const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
export const lead: Principal = { id: "lead", tenantId: "acme", roles: ["lead"] };

type PushNetwork = NonNullable<Parameters<typeof createPushChannel>[2]>;

/** A delivery desk with a push channel and its API, and the push service of all browsers. */
export async function openPushDesk({ allowPrivate = true, resolve = lookup }: Partial<PushNetwork> = {}) {
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  const service = await openPushService(publicKey);
  // The desk opens the store of the channel, after the channel.
  const opened: { store?: Store } = {};
  const store = () => {
    if (!opened.store) throw new Error("The desk is not open yet");
    return opened.store;
  };
  const channel = await createPushChannel(
    { publicKey, privateKey, subject: "mailto:operations@example.com" },
    {
      listPushSubscriptions: (...given) => store().listPushSubscriptions(...given),
      deletePushSubscription: (...given) => store().deletePushSubscription(...given),
    },
    { resolve, ca: service.certificate, allowPrivate },
  );
  const desk = await openDeliveryDesk(channel);
  opened.store = desk.store;
  const ask = async (person: Principal, method: string, path: string, body?: unknown) => {
    const api = approvalsApi(desk.instance(), { authenticate: () => person });
    const response = await api.request(path, {
      method,
      ...(body !== undefined && {
        ...{ body: JSON.stringify(body), headers: { "content-type": "application/json" } },
      }),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  return {
    ...{ ...desk, service, publicKey, ask },
    /** Opens a new browser, in which the person turns notifications on. */
    async browserOf(person: Principal) {
      const browser = service.subscribe();
      const answer = await ask(person, "PUT", "/push/subscription", browser.subscription);
      if (answer.status !== 200) throw new Error(`Not subscribed: ${JSON.stringify(answer)}`);
      return browser;
    },
    async propose(given: Parameters<typeof proposeCall>[1] = {}): Promise<Approval> {
      const [call] = await proposeCall(desk.store, { notify: ["push"], timeoutMs: 3_600_000, ...given });
      if (!call) throw new Error("unreachable");
      return call;
    },
    async subscriptions(): Promise<Record<string, unknown>[]> {
      return [
        ...(await desk.database.admin`select * from countersign.push_subscriptions order by created_at`),
      ];
    },
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
