import { z } from "zod";
import { CountersignError } from "../errors.js";
import { text } from "./requests.js";

const cursorSchema = z.tuple([z.iso.datetime(), text.min(1)]);

/** Where the next page begins; opaque to clients. */
export function encodeCursor(last: { createdAt: Date; id: string }): string {
  return Buffer.from(JSON.stringify([last.createdAt.toISOString(), last.id])).toString("base64url");
}

export function decodeCursor(cursor: string): { createdAt: Date; id: string } {
  try {
    const [createdAt, id] = cursorSchema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
    return { createdAt: new Date(createdAt), id };
  } catch {
    const errors = [{ field: "cursor", message: "is not a cursor of this API; start again without it" }];
    throw new CountersignError(
      "invalid_request",
      "cursor: is not a cursor of this API; start again without it",
      {
        detail: { errors },
      },
    );
  }
}
