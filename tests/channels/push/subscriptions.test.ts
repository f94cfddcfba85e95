import { randomBytes } from "node:crypto";
import { forget } from "@countersign/cli/operating";
import { expect, it } from "vitest";
import { openApiWorld } from "../../support/api-world.js";
import { browserKeys } from "./decrypt.js";
import { finance, lead, openPushDesk } from "./push-desk.js";

const day = 86_400_000;

it("a person ends the subscription of their own browser, and not another's", async () => {
  await using desk = await openPushDesk();
  const { subscription } = await desk.browserOf(finance);
  const end = (person: typeof finance) =>
    desk.ask(person, "DELETE", "/push/subscription", { endpoint: subscription.endpoint });
  const answer = { status: 200, body: { subscribed: false } };
  expect(await end(lead)).toEqual(answer);
  expect(await end({ ...finance, tenantId: "other" })).toEqual(answer);
  expect(await desk.subscriptions()).toHaveLength(1);
  expect(await end(finance)).toEqual(answer);
  expect(await desk.subscriptions()).toEqual([]);
});

it.each([lead, { ...finance, tenantId: "other" }])(
  "a browser belongs to the person who subscribed it last ($id of $tenantId)",
  async (next) => {
    await using desk = await openPushDesk();
    const browser = await desk.browserOf(finance);
    await desk.propose();
    const [announced = ""] = await desk.due();
    await desk.attempt(announced);
    // The message is due to this browser, whose person has changed before it is sent.
    const [before] = await desk.subscriptions();
    await desk.ask(next, "PUT", "/push/subscription", browser.subscription);
    const [after, ...others] = await desk.subscriptions();
    expect(others).toEqual([]);
    expect(after).toMatchObject({ principal_id: next.id, tenant_id: next.tenantId });
    expect(after?.id).not.toBe(before?.id);
    await desk.sendAll();
    expect(browser.accepted).toEqual([]);
  },
);

it.each([lead, { ...finance, tenantId: "other" }])(
  "nobody takes over a browser of which they know only the endpoint ($id of $tenantId)",
  async (other) => {
    await using desk = await openPushDesk();
    const { subscription } = await desk.browserOf(finance);
    const before = await desk.subscriptions();
    const { p256dh, auth } = browserKeys().keys;
    for (const keys of [
      { p256dh, auth },
      { ...subscription.keys, auth },
      { ...subscription.keys, p256dh },
    ]) {
      const answer = await desk.ask(other, "PUT", "/push/subscription", { ...subscription, keys });
      expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    }
    expect(await desk.subscriptions()).toEqual(before);
  },
);

it("confirming a subscription renews its roles and keeps its id", async () => {
  await using desk = await openPushDesk();
  const { subscription } = await desk.browserOf(finance);
  const [before] = await desk.subscriptions();
  await desk.ask({ ...finance, roles: ["guest"] }, "PUT", "/push/subscription", subscription);
  expect(await desk.subscriptions()).toMatchObject([{ id: before?.id, roles: ["guest"] }]);
});

it("a subscription ends 30 days after an inbox last confirmed it", async () => {
  await using desk = await openPushDesk();
  const [old, confirmed] = [await desk.browserOf(finance), await desk.browserOf(finance)];
  desk.time.offset += 20 * day;
  await desk.ask(finance, "PUT", "/push/subscription", confirmed.subscription);
  desk.time.offset += 11 * day;
  await desk.propose();
  await desk.sendAll();
  expect([old.accepted.length, confirmed.accepted.length]).toEqual([0, 1]);
  await desk.browserOf(lead);
  expect(await desk.subscriptions()).toHaveLength(2);
});

it("a person has at most 20 subscriptions, the newest ones", async () => {
  await using desk = await openPushDesk();
  const first = await desk.browserOf(finance);
  await desk.browserOf(lead);
  for (let more = 0; more < 20; more++) await desk.browserOf(finance);
  const left = await desk.subscriptions();
  expect(left).toHaveLength(21);
  expect(left.map(({ endpoint }) => endpoint)).not.toContain(first.subscription.endpoint);
});

it("forgetting a person deletes their subscriptions", async () => {
  await using desk = await openPushDesk();
  await desk.browserOf(finance);
  await desk.browserOf(lead);
  const { removed } = await forget(desk.instance(), { tenantId: "acme", personId: "finance" });
  expect(removed).toMatchObject({ push_subscriptions: 1 });
  expect(await desk.subscriptions()).toMatchObject([{ principal_id: "lead" }]);
});

it("nothing but an https address and usable keys can be subscribed", async () => {
  await using desk = await openPushDesk();
  const { keys } = browserKeys();
  const endpoint = "https://push.example.com/1";
  const offCurve = Buffer.concat([Buffer.from([4]), randomBytes(64)]).toString("base64url");
  const bad = [
    ...[
      "http://push.example.com/1",
      "https://ada:pw@push.example.com/1",
      "https://",
      "ftp://push.example.com/1",
    ],
    ...[
      "https://10.0.0.1/1",
      "https://[::1]/1",
      "https://2130706433/1",
      `https://a.example/${"x".repeat(1_000)}`,
    ],
  ].map((address) => ({ endpoint: address, keys }));
  const bodies = [
    ...bad,
    { endpoint, keys: { ...keys, p256dh: offCurve } },
    { endpoint, keys: { ...keys, auth: "short" } },
    { endpoint },
  ];
  for (const body of bodies) {
    const answer = await desk.ask(finance, "PUT", "/push/subscription", body);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(JSON.stringify(answer)).not.toContain(body.endpoint);
  }
  expect(await desk.subscriptions()).toEqual([]);
});

it("the API says whether the server sends push messages, and to whom it gives the key", async () => {
  await using desk = await openPushDesk();
  expect(await desk.ask(finance, "GET", "/push")).toEqual({
    ...{ status: 200, body: { publicKey: desk.publicKey } },
  });
  await using without = await openApiWorld();
  expect((await without.request("nobody", "/push")).status).toBe(401);
  const answer = await without.request("finance", "/push");
  expect(await answer.json()).toEqual({ publicKey: null });
  const refused = await without.request("finance", "/push/subscription", {
    ...{ method: "PUT", body: JSON.stringify({ endpoint: "https://push.example.com/1", ...browserKeys() }) },
  });
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: "push_not_configured" }]);
});
