import { randomBytes } from "node:crypto";
import { type WebhookEndpoint, webhooks } from "@countersign/channels/webhooks";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openReceiver, type Received, status } from "../../channels/webhooks/receiver.js";
import { exampleCard, exampleDelivery } from "../../support/example-delivery.js";

const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString("base64")}`;
const secret = newSecret();
const unaborted = () => new AbortController().signal;

const channelTo = (url: string, changes: Partial<WebhookEndpoint> = {}) =>
  webhooks({ endpoints: [{ id: "crm", url, secret, allowPrivate: true, ...changes }] });

const toCrm = { recipient: { id: "crm", label: "crm" } };

afterEach(() => vi.useRealTimers());

/** Verifies a request as a receiver does, with the library of Standard Webhooks. */
function verify({ body, headers }: Received, by = secret) {
  return new Webhook(by).verify(body, headers as Record<string, string>);
}

async function sent(changes: Partial<WebhookEndpoint> = {}, delivery = exampleDelivery(toCrm)) {
  await using receiver = await openReceiver();
  const result = await channelTo(`${receiver.url}/hook?x=1`, changes).send(delivery, unaborted());
  expect(result).toMatchObject({ ok: true, reference: null });
  return receiver.received;
}

describe("a webhook", () => {
  it("is a signed POST that the standard library verifies", async () => {
    const delivery = exampleDelivery(toCrm);
    const [received] = (await sent({}, delivery)) as [Received];
    expect(received).toMatchObject({ method: "POST", path: "/hook?x=1" });
    expect(received.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": delivery.messageId,
    });
    expect(verify(received)).toEqual({
      type: "approval.pending",
      timestamp: "2026-11-22T12:00:00.000Z",
      data: {
        approvalId: "apr_1",
        requestId: "req_1",
        threadId: "thread-1",
        tenantId: "acme",
        version: 3,
        status: "pending",
        label: null,
        toolName: "refund",
        agentName: "support",
        risk: "high",
        summary: "Refund €40.00 to Ada",
        digest: "sha256:abc",
        quorum: { required: 1, approved: 0 },
        expiresAt: "2026-11-22T12:30:00.000Z",
        outcome: null,
        url: "https://desk.example.com/inbox/approvals/apr_1",
        ...{ undo: null, undoes: null },
      },
    });
  });

  it("says until when people may undo the call, and when it was undone", async () => {
    const undo = {
      ...{
        text: "It can be undone for 10 minutes after it ran.",
        within: "10m",
        possible: false,
        offered: false,
      },
      ...{ until: null, undoId: "apr_2", undoneAt: new Date("2026-11-22T12:10:00Z") },
    };
    const undoes = { approvalId: "apr_0", text: "Undoes the call apr_0 of refund. finance asked for it" };
    const card = exampleCard({ ...{ status: "executed", open: false }, undo, undoes });
    const delivery = exampleDelivery({ ...toCrm, event: "approval.undone", card });
    const [received] = (await sent({ events: ["approval.undone"] }, delivery)) as [Received];
    expect(verify(received)).toMatchObject({
      type: "approval.undone",
      data: {
        undo: { within: "10m", until: null, undoId: "apr_2", undoneAt: "2026-11-22T12:10:00.000Z" },
        undoes: "apr_0",
      },
    });
  });

  it("contains the arguments if the endpoint asks for them", async () => {
    const [received] = (await sent({ arguments: true })) as [Received];
    expect(JSON.parse(received.body).data).toMatchObject({
      arguments: [
        { name: "amount", text: "40.00" },
        { name: "customer", text: "Ada" },
      ],
      hiddenFields: ["card.number"],
    });
  });

  it("says which tools a script appears to call only beside the arguments", async () => {
    const card = exampleCard({ codePreview: "This code appears to use: delete_file (line 1)." });
    const previewIn = async (options: object) => {
      const [received] = (await sent(options, exampleDelivery({ ...toCrm, card }))) as [Received];
      return JSON.parse(received.body).data.codePreview;
    };
    expect(await previewIn({ arguments: true })).toBe(card.codePreview);
    expect(await previewIn({})).toBeUndefined();
  });

  it("says what limits over time counted only beside the arguments", async () => {
    const counts = ["240.00 of 400 EUR in 24 hours for everyone, this one included"];
    const countsIn = async (options: object) => {
      const delivery = exampleDelivery({ ...toCrm, card: exampleCard({ counts }) });
      const [received] = (await sent(options, delivery)) as [Received];
      return JSON.parse(received.body).data.counts;
    };
    expect(await countsIn({ arguments: true })).toEqual(counts);
    expect(await countsIn({})).toBeUndefined();
  });

  it("says what the call would change only beside the arguments", async () => {
    const effects = ["order A-1: paid → refunded"];
    const parts = { effects, reversible: "This can be undone.", noPreview: null };
    const dataOf = async (options: object) => {
      const delivery = exampleDelivery({ ...toCrm, card: exampleCard(parts) });
      const [received] = (await sent(options, delivery)) as [Received];
      return JSON.parse(received.body).data;
    };
    expect(await dataOf({ arguments: true })).toMatchObject(parts);
    const without = await dataOf({});
    expect([without.effects, without.reversible, without.noPreview]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("states the outcome of the call", async () => {
    const at = new Date("2026-11-22T12:10:00Z");
    const votes = [{ id: "finance", name: "Fiona", type: "deny" as const }];
    const outcome = { text: "Denied by Fiona", decidedBy: "finance", votes, reason: "Too much", at };
    const card = exampleCard({ status: "denied", open: false, outcome: { ...outcome, by: "Fiona" } });
    const [received] = (await sent({}, exampleDelivery({ ...toCrm, event: "approval.decided", card }))) as [
      Received,
    ];
    expect(verify(received)).toMatchObject({
      type: "approval.decided",
      data: { status: "denied", outcome: { ...outcome, at: at.toISOString() } },
    });
  });

  it("keeps its id on every attempt, and each attempt is signed anew with its own time", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-22T12:00:00Z") });
    await using receiver = await openReceiver(status(500));
    const delivery = exampleDelivery(toCrm);
    const channel = channelTo(receiver.url);
    await channel.send(delivery, unaborted());
    vi.setSystemTime(new Date("2026-11-22T13:00:00Z"));
    await channel.send({ ...delivery, attempts: 1 }, unaborted());
    const [one, other] = receiver.received as [Received, Received];
    expect(other.headers["webhook-id"]).toBe(one.headers["webhook-id"]);
    expect(other.body).toBe(one.body);
    expect(other.headers["webhook-timestamp"]).toBe(String(Date.now() / 1000));
    expect(other.headers["webhook-signature"]).not.toBe(one.headers["webhook-signature"]);
    verify(other);
    expect(() => verify(one)).toThrow("too old");
  });

  it("fails verification with another secret, body, id or time", async () => {
    const [received] = (await sent()) as [Received];
    expect(() => verify(received, newSecret())).toThrow("No matching signature");
    expect(() => verify({ ...received, body: received.body.replace("40", "90") })).toThrow("No matching");
    const changed = (headers: Record<string, string>) => ({
      ...received,
      headers: { ...received.headers, ...headers },
    });
    expect(() => verify(changed({ "webhook-id": "other" }))).toThrow("No matching");
    const now = Number(received.headers["webhook-timestamp"]);
    expect(() => verify(changed({ "webhook-timestamp": String(now + 1) }))).toThrow("No matching");
    expect(() => verify(changed({ "webhook-timestamp": String(now - 301) }))).toThrow("too old");
    expect(Math.abs(now - Date.now() / 1000)).toBeLessThan(60);
  });

  it("is signed with each of several secrets", async () => {
    const next = newSecret(64);
    const [received] = (await sent({ secret: [secret, next] })) as [Received];
    verify(received);
    verify(received, next);
    expect(received.headers["webhook-signature"]?.toString().split(" ")).toHaveLength(2);
  });
});

describe("the recipients of webhooks", () => {
  const endpoint = { url: "https://hooks.example.com/T0/secret-path", secret };

  it("are all endpoints, with labels that show no path", async () => {
    const channel = webhooks({ endpoints: [{ id: "crm", ...endpoint }, endpoint] });
    expect(channel).toMatchObject({ mode: "events", everyApproval: true });
    const recipients = await channel.recipients(null, exampleCard());
    expect(recipients).toEqual([
      { id: "crm", label: "crm (hooks.example.com)" },
      { id: expect.stringMatching(/^[0-9a-f]{16}$/), label: expect.stringContaining("(hooks.example.com)") },
    ]);
    expect(JSON.stringify(recipients)).not.toContain("secret-path");
  });

  it("are not repeated if a rule names an endpoint, and an unknown name is an error", async () => {
    const channel = webhooks({ endpoints: [{ id: "crm", ...endpoint }] });
    expect(await channel.recipients("crm", exampleCard())).toEqual([]);
    await expect(channel.recipients("crn", exampleCard())).rejects.toThrow(
      'endpoints: none has the id "crn"; did you mean "crm"?',
    );
  });

  it("can be limited to one tenant", async () => {
    await using receiver = await openReceiver();
    const channel = webhooks({
      endpoints: async (tenantId) =>
        tenantId === "acme" ? [{ id: "crm", url: receiver.url, secret, allowPrivate: true }] : [],
    });
    expect(await channel.recipients(null, exampleCard())).toHaveLength(1);
    const card = exampleCard({ tenantId: "other" });
    expect(await channel.recipients(null, card)).toEqual([]);
    expect(await channel.send(exampleDelivery({ ...toCrm, card }), unaborted())).toMatchObject({
      ok: false,
      permanent: true,
    });
    expect(await channel.send(exampleDelivery(toCrm), unaborted())).toMatchObject({ ok: true });
    expect(receiver.received).toHaveLength(1);
  });

  it("receive only the events that they subscribe to", async () => {
    const events = ["approval.decided"] as const;
    expect(await sent({ events })).toEqual([]);
    const channel = channelTo("https://hooks.example.com", { events });
    expect(await channel.send(exampleDelivery(toCrm), unaborted())).toEqual({
      ...{ ok: true, reference: null, skipped: "The endpoint does not receive this event" },
    });
    expect(await sent({ events }, exampleDelivery({ ...toCrm, event: "approval.decided" }))).toHaveLength(1);
    expect(channelTo("https://hooks.example.com", { events }).events).toEqual(events);
    const mixed = webhooks({
      endpoints: [
        { id: "all", ...endpoint },
        { ...endpoint, events },
      ],
    });
    expect(mixed.events).toBeUndefined();
  });

  it("fail permanently after they were removed from the options", async () => {
    const gone = exampleDelivery({ recipient: { id: "gone", label: "gone" } });
    expect(await channelTo("https://hooks.example.com").send(gone, unaborted())).toMatchObject({
      ok: false,
      permanent: true,
    });
  });
});
