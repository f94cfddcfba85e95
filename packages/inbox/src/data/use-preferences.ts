import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import type { Preferences } from "../api/approval.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";

const storageName = "countersign-preferences";

const defaults: Preferences = {
  theme: "system",
  notifications: false,
  density: "comfortable",
  denyReasons: [],
};

/** What this browser remembers, for the first paint and for servers that keep no preferences. */
export function rememberedPreferences(): Preferences {
  try {
    const stored: Partial<Preferences> = JSON.parse(localStorage.getItem(storageName) ?? "{}");
    return { ...defaults, ...stored };
  } catch {
    return defaults;
  }
}

/** Puts theme and density on the page. */
export function applyPreferences({ theme, density }: Preferences): void {
  document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.density = density;
}

/** The reader's preferences, and how to change some of them. */
export function usePreferences(): [Preferences, (change: Partial<Preferences>) => void] {
  const { api } = useInbox();
  const client = useQueryClient();
  const { data = rememberedPreferences() } = useQuery({
    queryKey: keys.preferences,
    queryFn: async ({ signal }) => {
      const kept = await api.get<Partial<Preferences>>("/preferences", {}, signal);
      return { ...defaults, ...kept };
    },
    initialData: rememberedPreferences,
    initialDataUpdatedAt: 0,
    staleTime: 10 * 60_000,
    retry: false,
  });
  useEffect(() => {
    applyPreferences(data);
    localStorage.setItem(storageName, JSON.stringify(data));
  }, [data]);
  const change = useCallback(
    (part: Partial<Preferences>) => {
      const { theme, notifications, density, denyReasons } = { ...data, ...part };
      const next: Preferences = { theme, notifications, density, denyReasons };
      client.setQueryData<Preferences>(keys.preferences, next);
      // A server that keeps none leaves them to this browser.
      void api.send("PUT", "/preferences", next).catch(() => undefined);
    },
    [api, client, data],
  );
  return [data, change];
}
