import fc from "fast-check";
import { expect, it } from "vitest";
import { signedRequest } from "../../support/slack/signed-request.js";
import { cardOf, type SlackDesk, slackDesk } from "./slack-desk.js";

async function pressedBy(desk: SlackDesk) {
  return desk.slack.people.press(desk.anna, "Approve", await desk.post(cardOf()));
}

async function statusOf(desk: SlackDesk, body: string, headers: Record<string, string>) {
  const request = new Request("https://desk.example.com/channels/slack", { method: "POST", body, headers });
  return (await desk.channel.receive?.(request, desk.gate))?.status;
}

it.each([
  [-301, 401],
  [-300, 200],
  [0, 200],
  [300, 200],
  [301, 401],
])("a request signed %i seconds from now is answered with %i", async (seconds, status) => {
  const desk = await slackDesk();
  const { body } = await pressedBy(desk);
  const at = new Date(desk.clock.now.getTime() + seconds * 1000);
  const { headers } = signedRequest(body, desk.slack.signingSecret, at);
  expect(await statusOf(desk, body, headers)).toBe(status);
  expect(desk.gate.asked).toHaveLength(status === 200 ? 1 : 0);
});

it.each<[string, (headers: Record<string, string>) => Record<string, string>]>([
  ["no signature", ({ "x-slack-signature": _none, ...rest }) => rest],
  ["no timestamp", ({ "x-slack-request-timestamp": _none, ...rest }) => rest],
  ["an empty signature", (headers) => ({ ...headers, "x-slack-signature": "v0=" })],
  [
    "another version",
    (headers) => ({ ...headers, "x-slack-signature": `v1${headers["x-slack-signature"]?.slice(2)}` }),
  ],
  [
    "a short signature",
    (headers) => ({ ...headers, "x-slack-signature": headers["x-slack-signature"]?.slice(0, -2) ?? "" }),
  ],
  ["a timestamp that is not a number", (headers) => ({ ...headers, "x-slack-request-timestamp": "NaN" })],
  [
    "another timestamp",
    (headers) => ({
      ...headers,
      "x-slack-request-timestamp": String(Number(headers["x-slack-request-timestamp"]) + 1),
    }),
  ],
])("a request with %s is refused and logged", async (_what, change) => {
  const desk = await slackDesk();
  const { body, headers } = await pressedBy(desk);
  expect(await statusOf(desk, body, change(headers))).toBe(401);
  expect(desk.gate.asked).toEqual([]);
  expect(desk.logged).toEqual([expect.stringContaining("a request in Slack's name was refused")]);
  expect(desk.logged[0]).not.toContain(desk.slack.signingSecret);
});

it("a request signed with another secret is refused", async () => {
  const desk = await slackDesk();
  const { body } = await pressedBy(desk);
  const { headers } = signedRequest(body, "00000000000000000000000000000000", desk.clock.now);
  expect(await statusOf(desk, body, headers)).toBe(401);
});

it("a request with any byte of its body changed is refused", async () => {
  const desk = await slackDesk();
  const { body, headers } = await pressedBy(desk);
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: body.length - 1 }),
      fc.integer({ min: 33, max: 126 }),
      async (at, code) => {
        const changed = body.slice(0, at) + String.fromCharCode(code) + body.slice(at + 1);
        fc.pre(changed !== body);
        expect(await statusOf(desk, changed, headers)).toBe(401);
      },
    ),
    { numRuns: 50 },
  );
  expect(desk.gate.asked).toEqual([]);
});

it("Slack's ssl_check request is answered without a signature", async () => {
  const desk = await slackDesk();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  expect(await statusOf(desk, "ssl_check=1&token=legacy", type)).toBe(200);
  const { body } = await pressedBy(desk);
  expect(await statusOf(desk, `ssl_check=1&${body}`, type)).toBe(401);
  expect(desk.gate.asked).toEqual([]);
});

it.each([
  ["no payload", "a=b", 400],
  ["a payload that is not JSON", "payload=%7B", 400],
  ["a type that the channel does not cause", `payload=${encodeURIComponent('{"type":"shortcut"}')}`, 200],
  ["a press without actions", `payload=${encodeURIComponent('{"type":"block_actions","actions":[]}')}`, 200],
])("a signed request with %s decides nothing", async (_what, body, status) => {
  const desk = await slackDesk();
  const { headers } = signedRequest(body, desk.slack.signingSecret, desk.clock.now);
  expect(await statusOf(desk, body, headers)).toBe(status);
  expect(desk.gate.asked).toEqual([]);
});

it("a request of more than a megabyte is refused with 413", async () => {
  const desk = await slackDesk();
  const body = "x".repeat(1_000_001);
  const { headers } = signedRequest(body, desk.slack.signingSecret, desk.clock.now);
  expect(await statusOf(desk, body, headers)).toBe(413);
});

it("a request of more than a megabyte is not read to its end", async () => {
  const desk = await slackDesk();
  const chunk = new Uint8Array(100_000);
  let chunks = 0;
  let cancelled = false;
  const body = new ReadableStream({
    pull(controller) {
      chunks += 1;
      if (chunks <= 100) controller.enqueue(chunk);
      else controller.close();
    },
    cancel() {
      cancelled = true;
    },
  });
  const init = { method: "POST", body, duplex: "half" };
  const request = new Request("https://desk.example.com/channels/slack", init);
  expect((await desk.channel.receive?.(request, desk.gate))?.status).toBe(413);
  expect(cancelled).toBe(true);
  expect(chunks).toBeLessThan(20);
});
