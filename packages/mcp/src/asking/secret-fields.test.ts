import { expect, it } from "vitest";
import { asksForSecret, secretField } from "./secret-fields.js";

const form = (name: string, more: object = {}) => ({
  type: "object" as const,
  properties: { [name]: { type: "string" as const, ...more } },
});

it.each([
  "password",
  "userPassword",
  "API_KEY",
  "apiKey",
  "api-key",
  "token",
  "accessToken",
  "client_secret",
  "privateKey",
  "otp",
  "one_time_code",
  "pin",
  "cvv",
  "cardNumber",
  "seedPhrase",
  "ＰＡＳＳＷＯＲＤ",
])("the field %s asks for a secret", (name) => {
  expect(secretField(form(name))).toBe(name);
});

it("a field asks for a secret if its title or description does", () => {
  expect(secretField(form("value", { title: "Your API key" }))).toBe("value");
  expect(secretField(form("value", { description: "The password of your account" }))).toBe("value");
});

it.each([
  "seat",
  "maxTokens",
  "keyword",
  "primaryKey",
  "shipping",
  "secretary",
  "passenger",
  "pinned",
  "keys",
])("the field %s asks for nothing secret", (name) => {
  expect(secretField(form(name))).toBeUndefined();
});

it("a message asks for a secret if it requests one, and not if it only mentions one", () => {
  expect(asksForSecret("Please enter your GitHub access token")).toBe(true);
  expect(asksForSecret("Paste the API-key below")).toBe(true);
  expect(asksForSecret("Which colour?")).toBe(false);
  expect(asksForSecret("Your password was changed yesterday. Continue?")).toBe(false);
});
