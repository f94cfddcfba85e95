import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import type { Preferences } from "../../api/records.js";
import type { Language } from "../../words/choose-language.js";
import type { InboxConfig } from "../inbox/inbox-config.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { setInboxLanguage } from "../inbox/set-inbox-language.js";
import { createValueStore } from "../inbox/value-store.js";

const storageName = "countersign-preferences";

const defaults: Preferences = {
  theme: "system",
  notifications: false,
  denyReasons: [],
};

/** The preferences saved in this browser, for the first paint. */
export function rememberedPreferences(): Preferences {
  try {
    const stored: Partial<Preferences> = JSON.parse(localStorage.getItem(storageName) ?? "{}");
    return { ...defaults, ...stored };
  } catch {
    return defaults;
  }
}

/** The language that the reader has chosen, otherwise the host. */
export function languageOf(
  { language }: Pick<InboxConfig, "language">,
  preferences = rememberedPreferences(),
): Language | undefined {
  return preferences.language ?? language;
}

/** The theme that the reader has chosen. */
export const chosenTheme = createValueStore(defaults.theme);

/** The pages that have taken the language of the saved preferences. */
const languageTaken = new WeakSet<QueryClient>();

/** The reader's preferences, and a function that changes some of them. */
export function usePreferences(): [Preferences, (change: Partial<Preferences>) => void] {
  const { api, config } = useInbox();
  const client = useQueryClient();
  const { data = rememberedPreferences(), isFetched } = useQuery({
    queryKey: keys.preferences,
    queryFn: ({ signal }) => api.getPreferences({ signal }),
    initialData: rememberedPreferences,
    initialDataUpdatedAt: 0,
    staleTime: 10 * 60_000,
    retry: false,
  });
  useEffect(() => {
    chosenTheme.set(data.theme);
    localStorage.setItem(storageName, JSON.stringify(data));
    // Once: a choice that was made elsewhere does not change the page under the reader's hands, but the next one. If it cannot
    // be loaded, the page stays in its language.
    if (!isFetched || languageTaken.has(client)) return;
    languageTaken.add(client);
    if (data.language !== undefined) void setInboxLanguage(data.language).catch(() => undefined);
  }, [data, isFetched, client]);
  const change = useCallback(
    (part: Partial<Preferences>) => {
      const { theme, notifications, denyReasons, language } = { ...data, ...part };
      const next: Preferences = { theme, notifications, denyReasons, ...(language && { language }) };
      if ("language" in part) void setInboxLanguage(languageOf(config, next)).catch(() => undefined);
      // An answer that is on its way has the earlier ones.
      void client.cancelQueries({ queryKey: keys.preferences });
      client.setQueryData<Preferences>(keys.preferences, next);
      // If saving fails, this browser still remembers them.
      void api.setPreferences({ body: next }).catch(() => undefined);
    },
    [api, client, config, data],
  );
  return [data, change];
}
