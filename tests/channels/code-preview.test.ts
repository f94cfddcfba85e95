import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";

const found = [
  { toolName: "read_file", line: 1, column: 1 },
  { toolName: "delete_file", line: 3, column: 1 },
];
const line =
  "This code appears to call: read_file (line 1), delete_file (line 3). Found by reading the code, not by running it. It may call other tools.";

it("a card says in one line which tools a script appears to call, and nothing without a preview", async () => {
  const { channel, sent } = recordingChannel();
  await using desk = await openDeliveryDesk(channel);
  const propose = (codePreview: typeof found | null) =>
    proposeCall(desk.store, { notify: [channel.name], input: { code: "x" }, terms: { codePreview } });
  const [previewed] = await propose(found);
  const [plain] = await propose(null);
  await desk.sendAll();
  const cardOf = (call: typeof plain) => sent.find(({ card }) => card.approvalId === call?.id)?.card;
  expect(cardOf(previewed)?.codePreview).toBe(line);
  expect(cardOf(plain)?.codePreview).toBeNull();
});
