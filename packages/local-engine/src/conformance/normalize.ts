const ULID = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** The tracing that the real server adds to invoke events. */
const TRACING_FIELDS = new Set(["isr", "tc"]);
const TIME_FIELDS = new Set(["ts", "expire"]);

/**
 * Removes from a run's requests what differs between runs. It replaces ids by numbers in the order of their appearance,
 * so that equal ids stay equal.
 */
export function createNormalizer(): (value: unknown) => unknown {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const known = names.get(id) ?? `id-${names.size + 1}`;
    names.set(id, known);
    return known;
  };
  const normalize = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => normalize(item, key));
    if (value !== null && typeof value === "object") {
      const entries = Object.entries(value)
        .filter(([name]) => !TRACING_FIELDS.has(name))
        .sort(([a], [b]) => (a < b ? -1 : 1));
      return Object.fromEntries(entries.map(([name, item]) => [name, normalize(item, name)]));
    }
    if (typeof value === "number") return TIME_FIELDS.has(key) ? "time" : value;
    if (typeof value !== "string") return value;
    if (key === "job_id" || key === "qi_id" || key === "x-inngest-job-id") return nameOf(value);
    if (UUID.test(value)) return nameOf(value);
    if (ISO_DATE.test(value)) return "date";
    return value.replaceAll(ULID, nameOf);
  };
  return (value) => normalize(value, "");
}
