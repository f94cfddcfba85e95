import { email } from "@countersign/channels/email";
import type { Approval, Principal } from "countersign";
import { expect, it, onTestFinished, vi } from "vitest";
import { openDeliveryDesk } from "../../support/delivery-desk.js";
import { proposeCall } from "../../support/proposals.js";
import { openDroppingProxy, openMailServer, reply } from "./mail-server.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const minute = 60_000;

async function openWorld({ withArguments = true } = {}) {
  /** `refused`: the server refuses mails. `dropped`: connections break right after a mail, before the answer. */
  const faults = { refused: false, dropped: false };
  const server = await openMailServer({
    onRcptTo: (_, __, callback) => callback(faults.refused ? reply(451, "try again later") : null),
  });
  const proxy = await openDroppingProxy(server.port, () => faults.dropped);
  onTestFinished(() => void proxy.server.close());
  const channel = email({
    transport: `smtp://127.0.0.1:${proxy.port}`,
    from: "approvals@example.com",
    recipients: { default: "finance@example.com" },
    arguments: withArguments,
  });
  const desk = await openDeliveryDesk(channel);
  const propose = (given: Parameters<typeof proposeCall>[1] = {}): Promise<Approval[]> =>
    proposeCall(desk.store, { notify: ["email"], timeoutMs: 60 * minute, ...given });
  const deny = (call: Approval) =>
    desk.store.decide({
      ...{ approvalId: call.id, principal: finance, type: "deny", digest: call.digest, reason: null },
    });
  /** Sends everything that is due within five seconds. So long, a roundup waits for further calls. */
  const settle = async () => {
    await desk.sendAll();
    desk.time.offset += 5_000;
    await desk.sendAll();
  };
  const roundups = () =>
    server.arrived.flatMap(({ mail }) => (mail.subject?.includes(" more ") ? [mail] : []));
  return {
    ...{ ...desk, faults, server, propose, deny, settle, roundups },
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

it("the first calls have a mail each, and one mail says how many more wait", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 11, risk: "high", terms: { units: { amount: "EUR" } } });
  await world.settle();
  expect(world.server.arrived).toHaveLength(4);
  const [mail] = world.roundups();
  expect(mail?.subject).toBe("Approval needed: 8 more requests");
  expect(mail?.text).toMatch(/^8 more waiting: 8 refunds · \d+ EUR\n/);
  expect(mail?.text).toMatch(/8 refunds · \d+ EUR:\nhttps:\/\/desk\.example\.com\/inbox\?q=tool:refund\n/);
  expect(mail?.text).toContain("High or critical risk: 8");
  expect(mail?.text).toContain("https://desk.example.com/inbox\n");
  expect(mail?.html).not.toContain("<form");
  expect(mail?.inReplyTo).toBeUndefined();
});

it("the end of a call that is only in a roundup sends no mail", async () => {
  await using world = await openWorld();
  const calls = await world.propose({ calls: 6 });
  await world.settle();
  expect(world.server.arrived).toHaveLength(4);
  for (const call of calls) await world.deny(call);
  world.time.offset += minute;
  await world.settle();
  const subjects = world.server.arrived.slice(4).map(({ mail }) => mail.subject);
  expect(subjects).toEqual(Array(3).fill("Re: Approval needed: Refund A-1"));
});

it("calls that come after a roundup are in a further one after the time", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 4 });
  await world.settle();
  await world.propose({ calls: 5 });
  await world.settle();
  expect(world.roundups()).toHaveLength(1);
  world.time.offset += minute;
  await world.settle();
  const headings = world.roundups().map(({ text }) => text?.split("\n")[0]);
  expect(headings).toEqual(["1 more waiting: 1 refund", "6 more waiting: 6 refunds"]);
});

it("reminders of calls without a mail of their own are one mail", async () => {
  await using world = await openWorld();
  const terms = { escalation: [{ afterMs: 5 * minute, escalateTo: [] }] };
  const calls = await world.propose({ calls: 7, terms });
  await world.settle();
  world.time.offset += 5 * minute;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  await world.settle();
  expect(world.roundups().map(({ text }) => text?.split("\n")[0])).toEqual([
    "4 more waiting: 4 refunds",
    "Reminder: 4 more waiting: 4 refunds",
  ]);
});

it("without arguments, a roundup has no sums", async () => {
  await using world = await openWorld({ withArguments: false });
  await world.propose({ calls: 5, terms: { units: { amount: "EUR" } } });
  await world.settle();
  expect(world.roundups()[0]?.text).toContain("2 refunds\n");
});

it("a refused roundup is sent again with the calls that are still open", async () => {
  await using world = await openWorld();
  const calls = await world.propose({ calls: 6 });
  await world.sendAll();
  world.faults.refused = true;
  await world.settle();
  expect(world.roundups()).toEqual([]);
  world.faults.refused = false;
  const deliveries = await Promise.all(calls.map(({ id }) => world.store.listDeliveries("acme", id)));
  const others = calls.filter((_, index) => deliveries[index]?.[0]?.inRoundup);
  expect(others).toHaveLength(3);
  await world.deny(others[0] as Approval);
  await world.settle();
  expect(world.roundups().map(({ text }) => text?.split("\n")[0])).toEqual(["2 more waiting: 2 refunds"]);
});

it("addresses in tool names and units do not become links in a roundup", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 5, toolName: "evil.example", terms: { units: { amount: "evil.example" } } });
  await world.settle();
  const [mail] = world.roundups();
  for (const part of [mail?.text, mail?.html]) {
    expect(part).not.toContain("evil.example");
    expect(part).toContain("evil[.]example");
  }
});

it("a roundup with an unknown outcome keeps its Message-ID on a retry unless it counts further calls", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 5 });
  await world.sendAll();
  world.faults.dropped = true;
  await world.settle();
  await vi.waitUntil(() => world.roundups().length === 1);
  await world.settle();
  await vi.waitUntil(() => world.roundups().length === 2);
  world.faults.dropped = false;
  await world.propose({ calls: 3 });
  await world.settle();
  await world.settle();
  expect(world.roundups().map(({ text }) => text?.split("\n")[0])).toEqual([
    "2 more waiting: 2 refunds",
    "2 more waiting: 2 refunds",
    "5 more waiting: 5 refunds",
  ]);
  const [first, again, changed] = world.roundups().map(({ messageId }) => messageId);
  expect(again).toBe(first);
  expect(changed).not.toBe(first);
});
