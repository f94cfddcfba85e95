import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { demoInstallation } from "../support/demo/demo-process.js";
import { eventually } from "../support/harness.js";
import { startFakeSlack } from "../support/slack/fake-slack.js";
import { buttonsIn, textsIn } from "../support/slack/people.js";
import type { SlackMessage } from "../support/slack/workspace.js";

/** Long enough for the relay, which runs every minute, on a machine that is late for one or two of them. */
const relayMs = 240_000;

/** Two processes of the demo on one database and one Slack. Only one of them runs at a time. */
async function openTwoProcesses() {
  const database = await freshPostgres(1);
  const slack = await startFakeSlack();
  slack.workspace.scopes.add("channels:history");
  const room = slack.workspace.addChannel("finance");
  const anna = slack.workspace.addUser({ channels: [room] });
  const environment = {
    DATABASE_URL: database.url,
    SLACK_BOT_TOKEN: slack.token,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_CHANNEL: room.id,
    SLACK_API_URL: slack.apiUrl,
    SLACK_USERS: JSON.stringify({ [`${slack.workspace.team}:${anna.id}`]: "finance" }),
  };
  const [first, second] = [await demoInstallation(environment), await demoInstallation(environment)];
  return {
    ...{ database, slack, anna, first, second },
    /** Starts the second process shortly before a minute ends, when the relay runs, if it starts as fast as the first. */
    startSecond: (seconds: number) => second.start(undefined, 1, { second: Math.max(0, 57 - 1.5 * seconds) }),
    card: () => eventually(() => slack.workspace.messages[0], "a card in Slack"),
    posts: () => slack.calls.filter(({ method }) => method === "chat.postMessage").length,
    async [Symbol.asyncDispose]() {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
      await slack.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

type World = Awaited<ReturnType<typeof openTwoProcesses>>;

const labels = ({ blocks }: SlackMessage) => buttonsIn(blocks).map(({ text }) => text.text);

/** Waits until the card shows this text, and checks that it offers no approval. */
async function cardShows({ card }: World, words: RegExp): Promise<void> {
  const message = await card();
  await eventually(
    () => words.test(textsIn(message.blocks).join("\n")) || undefined,
    `the card says ${words}`,
    relayMs,
  );
  expect(labels(message)).not.toContain("Approve");
}

describe("a second process, after kill -9 of the first,", { timeout: 600_000 }, () => {
  it("updates a Slack card whose decision the first process had recorded but not shown", async () => {
    await using world = await openTwoProcesses();
    const { database, slack, anna, first } = world;
    const begunAt = performance.now();
    await first.start("after-decision");
    const startSeconds = (performance.now() - begunAt) / 1000;
    await first.say("Please refund order A-1001");
    const message = await world.card();
    expect(labels(message)).toContain("Approve");
    const press = slack.people.press(anna.id, "Approve", message);
    // The connection may break, because the process dies.
    await fetch(`${first.url}/api/channels/slack`, { ...press, method: "POST" }).catch(() => undefined);
    await first.crashed();
    const [row] = await database.admin`select status, decided_by from countersign.approvals`;
    expect(row).toEqual({ status: "approved", decided_by: "finance" });
    expect(labels(message)).toContain("Approve");

    await world.startSecond(startSeconds);
    // What has run by then names only who approved it.
    await cardShows(world, /✅ .+ · (Approved by )?Finance/);
    expect(world.posts()).toBe(1);
    expect(slack.workspace.messages).toHaveLength(1);
    const entries = await database.admin`
      select actor_id, data ->> 'via' as via from countersign.audit_entries where type = 'approval.approved'`;
    expect([...entries]).toEqual([{ actor_id: "finance", via: "slack" }]);
  });

  it("finds and updates a Slack card that the first process had posted but not recorded", async () => {
    await using world = await openTwoProcesses();
    const { database, slack, first, second } = world;
    await first.start("after-send");
    await first.say("Please refund order A-1001");
    await world.card();
    await first.crashed();
    const rows = await database.admin`
      select sent_version, reference from countersign.deliveries where recipient_id is not null`;
    expect([...rows]).toEqual([{ sent_version: 0, reference: null }]);
    // Ends the lease, after which another process may take over the message.
    await database.admin`update countersign.deliveries set leased_until = now() where leased_until is not null`;

    await second.start();
    const { id, digest } = await second.pending();
    await second.call("finance", `/approvals/${id}/decision`, { type: "deny", digest });
    await cardShows(world, /Denied by Finance/);
    expect(world.posts()).toBe(1);
    expect(slack.workspace.messages).toHaveLength(1);
  });
});
