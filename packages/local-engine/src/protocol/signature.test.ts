import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.js";
import { hashSigningKey, isSameSecret, isSignatureValid, signBody } from "./signature.js";

const KEY = "signkey-test-0123456789abcdef";

test("a signature is valid for its text and its key, for five minutes", () => {
  const signature = signBody({ text: "body" }, KEY, 1_000_000);
  expect(isSignatureValid(signature, "body", KEY, 1_000_000)).toBe(true);
  expect(isSignatureValid(signature, "body", KEY, 1_000_000 + 299_000)).toBe(true);
  expect(isSignatureValid(signature, "body", KEY, 1_000_000 + 301_000)).toBe(false);
  expect(isSignatureValid(signature, "bodi", KEY, 1_000_000)).toBe(false);
  expect(isSignatureValid(signature, "body", `${KEY}0`, 1_000_000)).toBe(false);
  for (const bad of [null, "", "t=&s=", "t=1000", "s=aa"]) {
    expect(isSignatureValid(bad, "body", KEY, 1_000_000)).toBe(false);
  }
});

test("JSON is signed in its canonical form", () => {
  expect(canonicalJson({ b: [1, { d: null, c: "é\u0000" }], a: 1e21 })).toBe(
    '{"a":1e+21,"b":[1,{"c":"é\\u0000","d":null}]}',
  );
  expect(signBody({ json: { b: 1, a: 2 } }, KEY, 0)).toBe(signBody({ text: '{"a":2,"b":1}' }, KEY, 0));
});

test("a signing key is hashed as in the SDK: its prefix stays, and its hex is decoded", () => {
  expect(hashSigningKey("signkey-prod-00")).toBe(
    "signkey-prod-6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  );
  expect(isSameSecret("a", "a")).toBe(true);
  expect(isSameSecret("a", "ab")).toBe(false);
});
