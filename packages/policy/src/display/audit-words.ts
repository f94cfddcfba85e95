import { type AuditType, type AuditWords, auditTypes } from "./audit-types.js";
import type { DisplayWords } from "./display-words.js";
import { englishDisplay } from "./english.js";

/** One entry of the audit log as a sentence. Unknown types of later versions are shown by name. */
export function auditWords(
  { type, actorId }: { type: string; actorId: string | null },
  { audit }: DisplayWords = englishDisplay,
): string {
  const known: AuditWords | undefined = Object.hasOwn(auditTypes, type)
    ? audit.types[type as AuditType]
    : undefined;
  if (!known) return audit.another(type);
  return known.by && actorId ? `${actorId} ${known.by}` : known.label;
}
