import { slack } from "@countersign/channels/slack";
import type { Approval, Principal } from "countersign";
import { onTestFinished } from "vitest";
import { openDeliveryDesk } from "../../support/delivery-desk.js";
import { proposeCall } from "../../support/proposals.js";
import { type Fault, startFakeSlack } from "../../support/slack/fake-slack.js";
import type { SlackMessage } from "../../support/slack/workspace.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };

/** Ways in which Slack is down. After `cut off`, Slack has done what it was asked to do. */
export const outages = {
  refused: "refused",
  "a proxy's 503": { status: 503 },
  "an internal error": { status: 500 },
  "broken connections": "broken",
  "lost answers": "cut off",
} satisfies Record<string, Fault | "refused">;

/** A Slack channel that is sometimes down, and calls with sentences of their own. */
export async function openOutageWorld() {
  const time = { offset: 0 };
  const fake = await startFakeSlack({ now: () => new Date(Date.now() + time.offset) });
  onTestFinished(() => fake.close());
  fake.workspace.scopes.add("channels:history");
  const { id: conversation } = fake.workspace.addChannel("finance");
  const { token, signingSecret, apiUrl } = fake;
  const desk = await openDeliveryDesk(slack({ token, signingSecret, apiUrl, identify: () => finance }));
  const calls: { approval: Approval; sentence: string; open: boolean }[] = [];
  const messages = () => fake.workspace.messages.filter(({ threadTs }) => threadTs === null);

  const world = {
    ...{ calls, fake, messages },
    async propose(given: Parameters<typeof proposeCall>[1] = {}): Promise<void> {
      const sentence = `Refund order ${calls.length} of ours`;
      const [approval] = await proposeCall(desk.store, {
        ...{ notify: [`slack:${conversation}`], timeoutMs: 24 * 3_600_000, summary: sentence },
        terms: { decideIn: ["inbox", "slack"] },
        ...given,
      });
      if (!approval) throw new Error("unreachable");
      calls.push({ approval, sentence, open: true });
    },
    async deny(index: number): Promise<void> {
      const call = calls[index];
      if (!call?.open) return;
      const { id: approvalId, digest } = call.approval;
      await desk.store.decide({ approvalId, principal: finance, type: "deny", digest, reason: null });
      call.open = false;
    },
    /** Lets time pass, with an attempt whenever one is due. */
    async pass(ms: number): Promise<void> {
      const stepMs = Math.max(10_000, ms / 8);
      for (const until = time.offset + ms; ; ) {
        desk.time.offset = time.offset;
        await desk.sendAll();
        if (time.offset >= until) return;
        time.offset = Math.min(time.offset + stepMs, until);
      }
    },
    /** Ends an outage, and lets time pass until a message has been posted or updated. */
    async recover(): Promise<void> {
      await fake.outage(null);
      const before = fake.calls.length;
      for (let passed = 0; passed < 31 && fake.calls.length === before; passed++) await world.pass(10_000);
    },
    /** What is wrong with the messages in Slack. */
    problems(): string[] {
      const found: string[] = [];
      const unlisted = calls.filter(({ open, sentence }) => open && !messages().some(shows(sentence)));
      const counts = messages().flatMap((message) => /(\d+) more waiting/.exec(textOf(message))?.[1] ?? []);
      if (unlisted.length > Number(counts.at(-1) ?? 0))
        found.push(...unlisted.map(({ sentence }) => `nobody knows of: ${sentence}`));
      for (const { open, sentence } of calls) {
        const shown = messages().filter(shows(sentence));
        if (!open && shown.some((message) => /countersign_(approve|deny)/.test(textOf(message))))
          found.push(`buttons of a closed call: ${sentence}`);
        if (open && shown.some((message) => textOf(message).includes("Denied")))
          found.push(`denied without a decision: ${sentence}`);
      }
      return found;
    },
    [Symbol.asyncDispose]: async () => {
      await desk[Symbol.asyncDispose]();
      await fake.close();
    },
  };
  return world;
}

const textOf = ({ blocks }: SlackMessage): string => JSON.stringify(blocks);
const shows = (sentence: string) => (message: SlackMessage) => textOf(message).includes(sentence);
