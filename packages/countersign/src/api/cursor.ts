import { z } from "zod";
import { refusedField } from "./problem.js";
import { text } from "./requests.js";

const cursorSchema = z.tuple([z.iso.datetime(), text.min(1)]);

/** Where the next page begins; opaque to clients. */
export function encodeCursor(last: { at: Date; id: string }): string {
  return Buffer.from(JSON.stringify([last.at.toISOString(), last.id])).toString("base64url");
}

export function decodeCursor(cursor: string): { at: Date; id: string } {
  try {
    const [at, id] = cursorSchema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
    return { at: new Date(at), id };
  } catch {
    throw refusedField("cursor", "is not a cursor of this API; start again without it");
  }
}
