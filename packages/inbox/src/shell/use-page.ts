import { useLocation, useRoute } from "wouter";

/** The page that the address names. Outside of the inbox it is the first one: the host decides where the inbox is shown. */
export function usePage(): "pending" | "history" | "grants" | "insight" | "unknown" {
  const [path] = useLocation();
  const [inList] = useRoute("/");
  const [inCall] = useRoute("/approvals/:id");
  const [inHistory] = useRoute("/history/:id?");
  const [inGrants] = useRoute("/grants");
  const [inInsight] = useRoute("/insight");
  if (inHistory) return "history";
  if (inGrants) return "grants";
  if (inInsight) return "insight";
  return inList || inCall || path.startsWith("~") ? "pending" : "unknown";
}
