import type { LookupAddress } from "node:dns";
import { expect, it } from "vitest";
import { browserKeys } from "./decrypt.js";
import { finance, openPushDesk } from "./push-desk.js";

it.each([404, 410])("a subscription is deleted if the push service answers with %i", async (status) => {
  await using desk = await openPushDesk();
  const [gone, other] = [await desk.browserOf(finance), await desk.browserOf(finance)];
  gone.end(status);
  const call = await desk.propose();
  await desk.sendAll();
  expect(await desk.subscriptions()).toMatchObject([{ endpoint: other.subscription.endpoint }]);
  const states = (await desk.store.listDeliveries("acme", call.id)).map(({ state }) => state);
  expect(states.sort()).toEqual(["sent", "skipped"]);
  expect(desk.logged).toEqual([]);
  await desk.propose();
  const before = desk.service.requests.length;
  await desk.sendAll();
  expect(desk.service.requests.length - before).toBe(1);
});

it("a message waits as long as a busy push service asks, and is then sent once", async () => {
  await using desk = await openPushDesk();
  const browser = await desk.browserOf(finance);
  desk.service.answers.push({ status: 429, headers: { "retry-after": "600" } });
  await desk.propose();
  await desk.sendAll();
  expect(desk.service.requests).toHaveLength(1);
  desk.time.offset += 590_000;
  await desk.sendAll();
  expect(desk.service.requests).toHaveLength(1);
  desk.time.offset += 20_000;
  await desk.sendAll();
  await desk.sendAll();
  expect(desk.service.requests.map(({ status }) => status)).toEqual([429, 201]);
  expect(browser.accepted).toHaveLength(1);
});

it("a failure shows no endpoint and no key in deliveries, audit log and log", async () => {
  await using desk = await openPushDesk();
  const { subscription } = await desk.browserOf(finance);
  desk.service.answers.push({ status: 500 }, { status: 302, headers: { location: "https://localhost/" } });
  const call = await desk.propose();
  await desk.sendAll();
  desk.time.offset += 60_000;
  await desk.sendAll();
  expect(desk.logged).toHaveLength(2);
  const told = JSON.stringify([
    desk.logged,
    await desk.rows(),
    await desk.store.listAudit({ tenantId: "acme" }),
    await desk.ask(finance, "GET", `/approvals/${call.id}/deliveries`),
  ]);
  expect(told).toContain("HTTP 500");
  for (const secret of [subscription.endpoint, subscription.keys.p256dh, subscription.keys.auth])
    expect(told).not.toContain(secret.replace(/^https:\/\//, ""));
});

it("a browser that was disabled after failures starts again when its person opens the inbox", async () => {
  await using desk = await openPushDesk();
  const browser = await desk.browserOf(finance);
  const [row] = await desk.subscriptions();
  await desk.database.admin`
    insert into countersign.failing_recipients
      (tenant_id, channel, recipient_id, recipient_label, failing_since, last_failed_at, disabled_at)
    values ('acme', 'push', ${String(row?.id)}, 'finance', now(), now(), now())`;
  await desk.propose();
  await desk.sendAll();
  expect(browser.accepted).toEqual([]);
  await desk.ask(finance, "PUT", "/push/subscription", browser.subscription);
  await desk.propose();
  await desk.sendAll();
  expect(browser.accepted).toHaveLength(1);
});

/** A desk whose only browser has this endpoint, and the hosts that were looked up. */
async function openStrictDesk(endpoint: string, address: LookupAddress | NodeJS.ErrnoException) {
  const asked: string[] = [];
  const desk = await openPushDesk({
    allowPrivate: false,
    resolve: (host, _, callback) => {
      asked.push(host);
      if (address instanceof Error) callback(address, []);
      else callback(null, [address]);
    },
  });
  await desk.ask(finance, "PUT", "/push/subscription", { endpoint, ...browserKeys() });
  const call = await desk.propose();
  await desk.sendAll();
  return Object.assign(desk, { asked, call });
}

it("a push service with a private address is never asked, and its subscription is deleted", async () => {
  await using desk = await openStrictDesk("https://push.example.com/1", { address: "127.0.0.1", family: 4 });
  expect(desk.asked).toEqual(["push.example.com"]);
  expect(await desk.subscriptions()).toEqual([]);
});

it("a push service on another port than 443 is never asked, and its subscription is deleted", async () => {
  await using desk = await openStrictDesk("https://push.example.com:8443/1", new Error("unreachable"));
  expect(desk.asked).toEqual([]);
  expect(await desk.subscriptions()).toEqual([]);
});

it("a failed connection does not say why", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:443"), { code: "ECONNREFUSED" });
  await using desk = await openStrictDesk("https://push.example.com:443/1", refused);
  expect(desk.asked).toEqual(["push.example.com"]);
  const { body } = await desk.ask(finance, "GET", `/approvals/${desk.call.id}/deliveries`);
  expect(JSON.stringify(body)).toContain("The push service could not be reached");
  expect(JSON.stringify([body, desk.logged])).not.toMatch(/ECONNREFUSED|10\.0\.0\.1|push\.example/);
});
