import { email } from "@countersign/channels/email";
import type { Approval, Principal } from "countersign";
import { expect, it, onTestFinished, vi } from "vitest";
import { openDeliveryDesk } from "../../support/delivery-desk.js";
import { proposeCall } from "../../support/proposals.js";
import { openDroppingProxy, openMailServer, reply } from "./mail-server.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const minute = 60_000;

/** @param drops How many connections break right after a mail, before the server's answer. */
async function openWorld(options: Parameters<typeof openMailServer>[0] = {}, { drops = 0 } = {}) {
  const server = await openMailServer(options);
  const proxy = await openDroppingProxy(server.port, () => drops-- > 0);
  onTestFinished(() => void proxy.server.close());
  const channel = email({
    transport: `smtp://127.0.0.1:${proxy.port}`,
    from: "approvals@example.com",
    recipients: { default: "finance@example.com" },
  });
  const desk = await openDeliveryDesk(channel);
  const propose = (given: Parameters<typeof proposeCall>[1] = {}): Promise<Approval[]> =>
    proposeCall(desk.store, { notify: ["email"], timeoutMs: 60 * minute, ...given });
  const deny = (call: Approval) =>
    desk.store.decide({
      ...{ approvalId: call.id, principal: finance, type: "deny", digest: call.digest, reason: null },
    });
  const subjects = () => server.arrived.map(({ mail }) => mail.subject);
  return {
    ...{ ...desk, server, propose, deny, subjects },
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

it("many calls are sent as one mail, and a reply in its thread follows when all are over", async () => {
  await using world = await openWorld();
  const calls = await world.propose({ calls: 14 });
  await world.sendAll();
  expect(world.subjects()).toEqual(["Approval needed: 14 calls"]);
  const [first] = world.server.arrived;
  expect(first?.mail.text).toContain("14 calls wait for a decision");
  expect(first?.mail.text).toContain("14 × refund");
  expect(first?.mail.text).toContain("The inbox shows 4 more.");
  expect(first?.mail.text).toContain("https://desk.example.com/inbox\n");
  expect(first?.mail.html).not.toContain("<form");
  for (const call of calls.slice(0, 13)) await world.deny(call);
  await world.sendAll();
  expect(world.server.arrived).toHaveLength(1);
  await world.deny(calls[13] as Approval);
  await world.sendAll();
  expect(world.subjects()).toEqual(["Approval needed: 14 calls", "Re: Approval needed: 14 calls"]);
  const last = world.server.arrived[1];
  expect(last?.mail.text).toContain("All 14 calls are over");
  expect(last?.mail.inReplyTo).toBe(first?.mail.messageId);
  await world.sendAll();
  expect(world.server.arrived).toHaveLength(2);
});

it("calls that join after the mail are sent in one further mail after the time window", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 4 });
  await world.sendAll();
  for (let run = 0; run < 5; run++) await world.propose();
  await world.sendAll();
  expect(world.subjects()).toEqual(["Approval needed: 4 calls"]);
  world.time.offset += minute + 1_000;
  await world.sendAll();
  expect(world.subjects()).toEqual(["Approval needed: 4 calls", "Re: Approval needed: 4 calls"]);
  expect(world.server.arrived[1]?.mail.text).toContain("9 calls wait for a decision");
  await world.sendAll();
  expect(world.server.arrived).toHaveLength(2);
});

it("a further mail lists the calls first that no mail has reported", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 12, risk: "medium" });
  await world.sendAll();
  await world.propose({ risk: "low", summary: "Refund 9,999 EUR" });
  await world.sendAll();
  world.time.offset += minute + 1_000;
  await world.sendAll();
  const text = world.server.arrived[1]?.mail.text ?? "";
  expect(text).toContain("13 calls wait for a decision");
  expect(text.indexOf("Refund 9,999 EUR")).toBeGreaterThan(0);
  expect(text.indexOf("Refund 9,999 EUR")).toBeLessThan(text.indexOf("Refund A-1"));
  expect(text).toContain("New, low risk");
});

it("the fourth call within a minute has its own mail, and a fifth starts a thread of both", async () => {
  await using world = await openWorld();
  for (let run = 0; run < 4; run++) {
    await world.propose({ summary: `Refund A-${run}` });
    await world.sendAll();
  }
  const own = [0, 1, 2, 3].map((run) => `Approval needed: Refund A-${run}`);
  expect(world.subjects().sort()).toEqual(own);
  await world.propose({ summary: "Refund A-5" });
  await world.sendAll();
  expect(world.subjects().slice(4)).toEqual(["Approval needed: 2 calls"]);
  expect(world.server.arrived[4]?.mail.text).toContain("Refund A-5");
});

it("a reminder within the time window is sent when the window ends", async () => {
  await using world = await openWorld();
  const terms = { escalation: [{ afterMs: 20_000, escalateTo: [] }] };
  const calls = await world.propose({ calls: 4, terms });
  await world.sendAll();
  world.time.offset += 21_000;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  await world.sendAll();
  expect(world.server.arrived).toHaveLength(1);
  world.time.offset += 40_000;
  await world.sendAll();
  await world.sendAll();
  expect(world.server.arrived.map(({ mail }) => mail.text?.split("\n")[0])).toEqual([
    "4 calls wait for a decision",
    "Reminder: 4 calls wait for a decision",
  ]);
});

it("a refused roundup is sent again with the calls that are still open", async () => {
  let refusals = 1;
  await using world = await openWorld({
    onRcptTo: (_, __, callback) => callback(refusals-- > 0 ? reply(451, "try again later") : null),
  });
  const calls = await world.propose({ calls: 6 });
  await world.sendAll();
  expect(world.server.arrived).toEqual([]);
  for (const call of calls.slice(0, 2)) await world.deny(call);
  world.time.offset += 10_000;
  await world.sendAll();
  expect(world.server.arrived.map(({ mail }) => mail.text?.split("\n")[0])).toEqual([
    "4 calls wait for a decision",
  ]);
});

it("addresses in calls do not become links in a roundup", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 4, summary: "Visit https://evil.example/now", toolName: "evil.example" });
  await world.sendAll();
  for (const part of [world.server.arrived[0]?.mail.text, world.server.arrived[0]?.mail.html]) {
    expect(part).not.toMatch(/https:\/\/evil|evil\.example/);
    expect(part).toContain("evil[.]example");
  }
});

it("a roundup with an unknown outcome is followed by a closing mail after all its calls end", async () => {
  await using world = await openWorld({}, { drops: 1 });
  const calls = await world.propose({ calls: 4 });
  await world.sendAll();
  await vi.waitUntil(() => world.server.arrived.length === 1);
  for (const call of calls) await world.deny(call);
  world.time.offset += 10_000;
  await world.sendAll();
  expect(world.server.arrived.map(({ mail }) => mail.text?.split("\n")[0])).toEqual([
    "4 calls wait for a decision",
    "All 4 calls are over",
  ]);
});

it("a roundup with an unknown outcome keeps its Message-ID on a retry unless calls have joined it", async () => {
  await using world = await openWorld({}, { drops: 2 });
  await world.propose({ calls: 4 });
  await world.sendAll();
  world.time.offset += 5_000;
  await world.sendAll();
  await vi.waitUntil(() => world.server.arrived.length === 2);
  await world.propose({ calls: 3 });
  await world.sendAll();
  world.time.offset += 10_000;
  await world.sendAll();
  expect(world.server.arrived.map(({ mail }) => mail.text?.split("\n")[0])).toEqual([
    "4 calls wait for a decision",
    "4 calls wait for a decision",
    "7 calls wait for a decision",
  ]);
  const [first, again, changed] = world.server.arrived.map(({ mail }) => mail.messageId);
  expect(again).toBe(first);
  expect(changed).not.toBe(first);
});
