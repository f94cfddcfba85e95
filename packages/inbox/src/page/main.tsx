import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { readPageConfig } from "../data/inbox/inbox-config.js";
import { setInboxLanguage, spoken } from "../data/inbox/set-inbox-language.js";
import { applyPreferences, languageOf, rememberedPreferences } from "../data/people/use-preferences.js";
import { preloadDetailPane } from "../detail/lazy-detail-pane.js";
import { ApprovalsInbox, CountersignInboxProvider } from "../inbox.js";

applyPreferences(rememberedPreferences());

const config = readPageConfig(document);
const showLanguage = () => {
  document.documentElement.lang = spoken.get();
};
spoken.subscribe(showLanguage);
// The page is readable in English if its language cannot be loaded.
await setInboxLanguage(languageOf(config)).catch(() => undefined);
if (/\/(approvals|history)\/[^/]+$/.test(window.location.pathname)) preloadDetailPane();

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root");
createRoot(root).render(
  <StrictMode>
    <CountersignInboxProvider {...config}>
      <ApprovalsInbox />
    </CountersignInboxProvider>
  </StrictMode>,
);
