import { cutText, engineText } from "@countersign/policy/internal/shared/engine-text";

/** Maximum characters of a saved error message: enough to act on, and far below what a step's output may hold. */
const maxMessageLength = 10_000;
const maxNameLength = 200;

/**
 * The name and message of whatever a handler threw: an error, an object with a `message`, any other value as JSON.
 * Never throws, since the outcome of a call that ran must be recorded.
 */
export function describeThrown(thrown: unknown): { name: string; message: string } {
  try {
    if (typeof thrown !== "object" || thrown === null) return { name: "Error", message: cut(String(thrown)) };
    const name: unknown = Reflect.get(thrown, "name");
    const message: unknown = Reflect.get(thrown, "message");
    return {
      name: typeof name === "string" && name !== "" ? engineText(cutText(name, maxNameLength)) : "Error",
      message: cut(typeof message === "string" ? message : (JSON.stringify(thrown) ?? unreadable)),
    };
  } catch {
    return { name: "Error", message: unreadable };
  }
}

const unreadable = "The tool's handler threw a value that cannot be read as an error.";

function cut(thrown: string): string {
  const message = engineText(thrown);
  if (message.length <= maxMessageLength) return message;
  return `${cutText(message, maxMessageLength)}… (truncated; the full message has ${message.length} characters)`;
}
