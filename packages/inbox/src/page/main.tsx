import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { readPageConfig } from "../data/inbox/inbox-config.js";
import { setInboxLanguage, spoken } from "../data/inbox/set-inbox-language.js";
import { chosenTheme, languageOf, rememberedPreferences } from "../data/people/use-preferences.js";
import { preloadDetailPane } from "../detail/lazy-detail-pane.js";
import { ApprovalsInbox, CountersignInboxProvider } from "../inbox.js";
import { words } from "../words/words.js";

chosenTheme.subscribe(() => {
  document.documentElement.dataset.theme = chosenTheme.get();
});
chosenTheme.set(rememberedPreferences().theme);

const config = readPageConfig(document);
spoken.subscribe(() => {
  document.documentElement.lang = spoken.get().language;
});
if (/\/(approvals|history)\/[^/]+$/.test(window.location.pathname)) preloadDetailPane();

// Not awaited at the top: a language's file imports from this one, and would wait for it. If it cannot be loaded, the page
// speaks English.
void setInboxLanguage(languageOf(config))
  .catch(() => undefined)
  .then(render);

function render() {
  document.title = words.page.title;
  const root = document.getElementById("root");
  if (!root) throw new Error("The page has no #root");
  createRoot(root).render(
    <StrictMode>
      <CountersignInboxProvider {...config}>
        <ApprovalsInbox />
      </CountersignInboxProvider>
    </StrictMode>,
  );
}
