import type { Channel, ChannelIdentity } from "@countersign/channels/slack";
import { type SlackOptions, slack } from "@countersign/channels/slack";
import { onTestFinished } from "vitest";
import { type FakeSlack, startFakeSlack } from "../../support/slack/fake-slack.js";
import type { SignedRequest } from "../../support/slack/signed-request.js";
import type { SlackChannel, SlackMessage } from "../../support/slack/workspace.js";

type Delivery = Parameters<Channel["send"]>[0];
type Gate = Parameters<NonNullable<Channel["receive"]>>[1];
export type Card = Delivery["card"];
type Sent = Awaited<ReturnType<Channel["send"]>>;

export const digest = "9f2c41d07be5a3f8".repeat(4);

export function cardOf(changes: Partial<Card> = {}): Card {
  return {
    approvalId: "apr_kJ2h9sQm",
    requestId: "req_1",
    tenantId: "acme",
    threadId: "thread-1",
    version: 1,
    status: "pending",
    open: true,
    verdict: "ask",
    summary: "Refund €129.90 to ada@example.com",
    label: null,
    toolName: "refund_order",
    agentName: "support",
    risk: "high",
    requester: "ada@example.com",
    requesterName: "ada@example.com",
    approvers: { roles: ["finance"], ids: [] },
    whoDecides: "finance",
    escalatedTo: null,
    assignee: null,
    assigneeName: null,
    assigneeIsDelegate: false,
    reasons: ["refunds above €100 need finance"],
    fields: [
      { name: "orderId", text: "A-1002" },
      { name: "amount", text: "129.90" },
    ],
    hiddenFields: [],
    codePreview: null,
    warnings: [],
    checks: [],
    effects: [],
    reversible: null,
    noPreview: null,
    counts: [],
    undo: null,
    undoes: null,
    digest,
    expiresAt: new Date("2026-11-23T12:30:00Z"),
    quorum: { required: 1, approved: 0 },
    outcome: null,
    url: "https://desk.example.com/inbox/apr_kJ2h9sQm",
    decisions: ["approve", "deny"],
    notWhole: null,
    ...changes,
  };
}

/** The outcome of a call that one person approved. */
export const outcomeBy = (id: string): NonNullable<Card["outcome"]> => ({
  ...{ text: `Approved by ${id}`, decidedBy: id, by: id, votes: [{ id, name: id, type: "approve" }] },
  ...{ reason: null, at: new Date("2026-11-23T12:05:00Z") },
});

/** A card after its decision. */
export const closedCard = (text: string, changes: Partial<Card> = {}): Card =>
  cardOf({
    ...{ open: false, status: "approved", decisions: [], version: 9 },
    outcome: { ...outcomeBy("finance-anna"), text },
    ...changes,
  });

/** A gate that knows one card, and records the decisions that it was asked for. */
export class Gatekeeper implements Gate {
  readonly asked: Parameters<Gate["decide"]>[0][] = [];
  readonly decided: string[] = [];
  readonly undone: Parameters<Gate["undo"]>[0][] = [];
  present: Card;

  constructor(card: Card) {
    this.present = card;
  }

  async decide(input: Parameters<Gate["decide"]>[0]): ReturnType<Gate["decide"]> {
    this.asked.push(input);
    const card = this.present;
    const refuse = (code: string, message: string) => ({ ok: false as const, code, message, card });
    const words = `${input.decision} by ${input.principal.id}`;
    if (card.outcome?.text === words) return { ok: true, card, repeated: true };
    if (!card.open) return refuse("already_decided", "This call has already been decided.");
    if (input.digest !== card.digest)
      return refuse("digest_mismatch", "The call differs from the one you saw.");
    this.decided.push(words);
    this.present = closedCard(words, { status: input.decision === "approve" ? "approved" : "denied" });
    return { ok: true, card: this.present, repeated: false };
  }

  /** What the undo of the present card becomes. */
  undo: Gate["undo"] = async (input) => {
    this.undone.push(input);
    const undo = closedCard("Approved by finance-anna");
    return { ok: true, card: this.present, undo };
  };

  async card(): Promise<Card | null> {
    return this.present;
  }
}

export interface SlackDesk {
  slack: FakeSlack;
  channel: Channel;
  finance: SlackChannel;
  /** A member of the channel whom the host knows. */
  anna: string;
  gate: Gatekeeper;
  logged: string[];
  clock: { now: Date };
  /** Sends a card, by default to #finance for the first time. */
  send(card: Card, changes?: Partial<Delivery>, signal?: AbortSignal): Promise<Sent>;
  /** Sends a card and returns the message that shows it. */
  post(card: Card): Promise<SlackMessage>;
  receive(request: SignedRequest): Promise<Response>;
}

/** A fake Slack workspace on this machine, with the app in it. */
export async function slackDesk(options: Partial<SlackOptions> = {}): Promise<SlackDesk> {
  const clock = { now: new Date("2026-11-23T12:00:00Z") };
  const fake = await startFakeSlack({ now: () => clock.now });
  onTestFinished(() => fake.close());
  const finance = fake.workspace.addChannel("finance");
  const anna = fake.workspace.addUser({ channels: [finance] }).id;
  const logged: string[] = [];
  const log = (message: string, fields?: object) =>
    void logged.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const channel = slack({
    token: fake.token,
    signingSecret: fake.signingSecret,
    apiUrl: fake.apiUrl,
    identify: ({ id }: ChannelIdentity) =>
      id === `T000000001:${anna}` ? { id: "finance-anna", tenantId: "acme", roles: ["finance"] } : null,
    logger: { info: log, warn: log, error: log },
    now: () => clock.now,
    ...options,
  });
  const gate = new Gatekeeper(cardOf());
  const send: SlackDesk["send"] = (card, changes, signal = new AbortController().signal) =>
    channel.send(
      {
        ...{ id: "dlv_1", messageId: "msg_1", event: "approval.pending", attempts: 0 },
        ...{ occurredAt: clock.now, since: clock.now },
        ...{ recipient: { id: finance.id, label: "#finance" }, card, reference: null },
        ...changes,
      },
      signal,
    );
  return {
    ...{ slack: fake, channel, finance, anna, gate, logged, clock, send },
    async post(card) {
      const sent = await send(card);
      if (!sent.ok) throw new Error(sent.error);
      const message = fake.workspace.messages.at(-1);
      if (!message) throw new Error("Nothing was posted");
      gate.present = card;
      return message;
    },
    receive: async (request) => {
      const answer = await channel.receive?.(request.toRequest(), gate);
      if (!answer) throw new Error("The channel receives nothing");
      return answer;
    },
  };
}

/** The reference of a successful delivery. */
export function referenceOf(sent: Sent) {
  if (!sent.ok) throw new Error(sent.error);
  return sent.reference;
}
