import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { storableTextSchema } from "@countersign/policy/internal/shared/storable-text";

/**
 * Rejects text that the database would not store unchanged, as the API does for its input.
 *
 * @throws CountersignError `invalid_request` naming the field.
 */
export function requireStorable(field: string, text: string | null): void {
  const parsed = storableTextSchema.nullable().safeParse(text);
  if (parsed.success) return;
  const message = parsed.error.issues[0]?.message ?? "is not text";
  throw new CountersignError("invalid_request", `${field}: ${message}`, {
    detail: { errors: [{ field, message }] },
  });
}
