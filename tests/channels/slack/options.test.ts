import { type SlackOptions, slack } from "@countersign/channels/slack";
import { CountersignError } from "countersign";
import { expect, it } from "vitest";

const options: SlackOptions = {
  token: "xoxb-1-secret-token",
  signingSecret: "8f742231b10e8888abcd99aaaeee85a5",
  identify: () => null,
};

it("the channel's name is slack by default and can be set", () => {
  expect(slack(options)).toMatchObject({ name: "slack", mode: "card" });
  expect(slack({ ...options, name: "slack-eu" }).name).toBe("slack-eu");
});

it.each<[string, Partial<Record<keyof SlackOptions, unknown>>]>([
  ["token", { token: "" }],
  ["token", { token: "xoxb-1 secret-token\n" }],
  ["token", { token: undefined }],
  ["signingSecret", { signingSecret: "" }],
  ["identify", { identify: undefined }],
  ["name", { name: "Slack" }],
  ["channel", { channel: "finance" }],
  ["recipients", { recipients: ["#finance"] }],
  ["mention", { mention: "finance" }],
  ["mention", { mention: "<!channel>" }],
  ["mention", { mention: ["S0123456789", "@here"] }],
  ["team", { team: "example" }],
  ["team", { team: [] }],
  ["linkUrl", { linkUrl: "javascript:alert(1)" }],
  ["apiUrl", { apiUrl: "http://slack.example.com/api/" }],
  ["apiUrl", { apiUrl: "https://user:password@slack.com/api/" }],
  ["apiUrl", { apiUrl: "slack.com" }],
])("a wrong option %s is refused by its name and without secrets: %j", (name, wrong) => {
  const create = () => slack({ ...options, ...wrong } as SlackOptions);
  expect(create).toThrow(CountersignError);
  expect(create).toThrow(new RegExp(`^${name}: `));
  expect(create).not.toThrow(/xoxb-1|secret-token|8f74|password@/);
});
