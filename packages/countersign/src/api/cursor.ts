import { refusedField } from "@countersign/policy/internal/shared/parse-or-refuse";
import { storableTextSchema as text } from "@countersign/policy/internal/shared/storable-text";
import * as z from "zod";

const cursorSchema = z.tuple([z.iso.datetime(), text.min(1)]);

/** Encodes the position after which the next page starts. Opaque to clients. */
export function encodeCursor(last: { at: Date; id: string }): string {
  return Buffer.from(JSON.stringify([last.at.toISOString(), last.id])).toString("base64url");
}

export function decodeCursor(cursor: string): { at: Date; id: string } {
  try {
    const [at, id] = cursorSchema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
    return { at: new Date(at), id };
  } catch {
    throw refusedField("cursor", "is not a cursor of this API; request the first page without it");
  }
}
