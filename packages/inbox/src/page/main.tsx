import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { readPageConfig } from "../data/inbox-config.js";
import { applyPreferences, rememberedPreferences } from "../data/use-preferences.js";
import { ApprovalsInbox, CountersignInboxProvider } from "../inbox.js";

applyPreferences(rememberedPreferences());

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root");
createRoot(root).render(
  <StrictMode>
    <CountersignInboxProvider {...readPageConfig(document)}>
      <ApprovalsInbox />
    </CountersignInboxProvider>
  </StrictMode>,
);
