import { useLocation, useRoute } from "wouter";

/** The pages of the header's menu, whose addresses are their names. */
export const morePages = ["grants", "insight"] as const;

export type Page = "pending" | "history" | (typeof morePages)[number] | "suggestions" | "unknown";

/** The page that the address names. Outside of the inbox it is the first one: the host decides where the inbox is shown. */
export function usePage(): Page {
  const [path] = useLocation();
  const [inList] = useRoute("/");
  const [inCall] = useRoute("/approvals/:id");
  const [inHistory] = useRoute("/history/:id?");
  const [inGrants] = useRoute("/grants");
  const [inInsight] = useRoute("/insight");
  const [inSuggestions] = useRoute("/insight/suggestions");
  if (inHistory) return "history";
  if (inGrants) return "grants";
  if (inInsight) return "insight";
  if (inSuggestions) return "suggestions";
  return inList || inCall || path.startsWith("~") ? "pending" : "unknown";
}
