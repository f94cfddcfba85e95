import { type PushOptions, pushChannel } from "@countersign/channels/push";
import { pgliteStore } from "countersign/pglite";
import { expect, it } from "vitest";
import webPush from "web-push";

const { publicKey, privateKey } = webPush.generateVAPIDKeys();
const other = webPush.generateVAPIDKeys();
const subject = "mailto:operations@example.com";
const store = pgliteStore();

it("a push channel has the public key for browsers, and lets nobody decide", () => {
  const channel = pushChannel({ store, publicKey, privateKey, subject });
  expect(channel).toMatchObject({ name: "push", mode: "events", everyApproval: true, pushKey: publicKey });
  expect(channel.receive).toBeUndefined();
});

it.each<[string, Partial<Record<keyof PushOptions, unknown>>]>([
  ["publicKey: must be the public key", { publicKey: "abc" }],
  ["publicKey: must be the public key", { publicKey: undefined }],
  ["privateKey: must be the private key", { privateKey: publicKey }],
  ["privateKey: does not belong to publicKey", { privateKey: other.privateKey }],
  ["subject: must be", { subject: "operations@example.com" }],
  ["subject: must be", { subject: "http://desk.example.com" }],
])("a wrong option is an error that names it: %s", (message, changes) => {
  const options = { store, publicKey, privateKey, subject, ...changes } as PushOptions;
  expect(() => pushChannel(options)).toThrow(message);
  try {
    pushChannel(options);
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_option" });
    expect(String(error)).not.toContain(privateKey);
  }
});
