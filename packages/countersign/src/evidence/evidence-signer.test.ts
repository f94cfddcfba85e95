import { deriveKey } from "@countersign/policy/internal/shared/secret-key";
import fc from "fast-check";
import { compactVerify } from "jose";
import { describe, expect, it } from "vitest";
import { createEvidenceSigner } from "./evidence-signer.js";

const secret = "a-secret-of-at-least-thirty-two-bytes";
const signer = createEvidenceSigner(secret);
const claims = {
  ...{ id: "vot_1", tenantId: "acme", approvalId: "apr_1", digest: "a".repeat(64), iat: 1 },
  ...{ decision: "approve" as const, principalId: "ada", roles: ["finance"] },
};
const token = await signer.sign("vote", claims);

describe("a token of a secret key", () => {
  it("is a JWS that jose accepts with the derived key", async () => {
    const hmac = deriveKey(new TextEncoder().encode(secret), "evidence HS256", 32);
    const { payload, protectedHeader } = await compactVerify(token, hmac, { algorithms: ["HS256"] });
    expect(protectedHeader).toEqual({ alg: "HS256", kid: signer.keyId, typ: "countersign-vote" });
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(claims);
    expect(await signer.read("vote", token)).toEqual({ ok: true, keyId: signer.keyId, claims });
  });

  it("counts only in this spelling", async () => {
    const other = fc.oneof(
      fc.tuple(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 })).map(([at, character]) => {
        return token.slice(0, at) + character + token.slice(at + 1);
      }),
      fc.nat(token.length - 1).map((length) => token.slice(0, length)),
      fc.string({ minLength: 1 }).map((more) => token + more),
      fc.constantFrom("=", ".", "\n", " ").map((more) => token + more),
      fc.constantFrom(
        `${token}.`,
        `.${token}`,
        token.replace(/\.[^.]*$/, "."),
        token.replace(/\.[^.]*$/, ""),
      ),
    );
    await fc.assert(
      fc.asyncProperty(other, async (changed) => {
        fc.pre(changed !== token);
        expect((await signer.read("vote", changed)).ok).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it("has bits in its last character that its signature does not need, and counts with none of them changed", async () => {
    const signature = token.slice(token.lastIndexOf(".") + 1);
    const bytes = Buffer.from(signature, "base64url");
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const others = [...letters].filter(
      (letter) =>
        !signature.endsWith(letter) &&
        Buffer.from(signature.slice(0, -1) + letter, "base64url").equals(bytes),
    );
    expect(others).toHaveLength(3);
    for (const letter of others) {
      expect(await signer.read("vote", token.slice(0, -1) + letter)).toEqual({
        ok: false,
        field: "signature",
      });
    }
  });
});
