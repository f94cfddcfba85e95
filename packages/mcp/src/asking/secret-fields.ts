import { asciiLookOf } from "@countersign/policy/internal/display/look-alikes";
import type { AnswerForm } from "@countersign/policy/internal/questions/answer-form";

/** Words for secrets in names, titles and descriptions. `apiKey`, `api_key` and `API key` are treated alike. */
const secretWords =
  /\b(password|passwort|passwd|passphrase|passcode|pass ?word|secret|secrets|api ?keys?|access ?keys?|private ?keys?|secret ?keys?|signing ?keys?|encryption ?keys?|credentials?|(access|auth|api|bearer|refresh|session|security|login|personal access|id) ?tokens?|one ?time ?(password|code|passcode)|otp|totp|2fa|mfa|pin|pin ?code|cvv|cvc|card ?number|credit ?card|seed ?phrase|recovery ?(code|phrase)|ssh ?key)\b/;

/** Matches names that consist of "token" alone. "Maximum tokens", for example, is not a secret. */
const bareToken = /^(the |your )?tokens?$/;

/**
 * The first field of a form that asks for a secret, or `undefined`. MCP forbids forms that ask for secrets: the answer
 * would pass through this process, its database and its readers.
 */
export function secretField(form: AnswerForm): string | undefined {
  return Object.entries(form.properties).find(
    ([name, field]) =>
      field.type !== "boolean" &&
      [name, field.title, field.description].some((text) => text !== undefined && namesSecret(text)),
  )?.[0];
}

/** True if a question's own words ask for a secret. */
export function asksForSecret(message: string): boolean {
  return (
    /\b(enter|provide|type|paste|give|send|supply|share|input|what is|need|confirm with)\b/.test(
      words(message),
    ) && secretWords.test(words(message))
  );
}

function namesSecret(text: string): boolean {
  const plain = words(text);
  return secretWords.test(plain) || bareToken.test(plain);
}

function words(text: string): string {
  return asciiLookOf(text.normalize("NFKC"))
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}
