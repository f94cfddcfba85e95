import type { Language } from "../../words/choose-language.js";

/** How people sign in: on the host's page, or with a token that is exchanged for a session. */
export type InboxSignIn =
  | { url: string }
  | {
      /** `POST` with `{token}` signs in, `DELETE` signs out. */
      session: string;
      /** Buttons that sign in with a token, for demos. */
      people?: { name: string; note?: string; token: string }[];
    };

export interface InboxConfig {
  /** Address of the approvals API, such as `/api`. */
  apiBase: string;
  /** Address of the page without a trailing slash, such as `/inbox`. */
  basePath: string;
  signIn?: InboxSignIn | undefined;
  /**
   * How long people may take back a decision about a call of low or medium risk before it takes effect, in milliseconds.
   * The call's rules may allow less; 0 for never. @default 6000 in the inbox, 0 in an `ApprovalCard`
   */
  holdMs?: number | undefined;
  /**
   * Language for readers who have not chosen one in their menu. @default the first language of the browser that the inbox
   * speaks on its own page, English in components
   */
  language?: Language | undefined;
}

/** The id of the element with the configuration as JSON. */
export const configElementId = "countersign-config";

/** Reads the configuration from the page. Defaults to `/inbox` and `/api`. */
export function readPageConfig(page: Document): InboxConfig {
  const found: Partial<InboxConfig> = JSON.parse(page.getElementById(configElementId)?.textContent || "{}");
  const { apiBase = "/api", basePath = "/inbox", ...rest } = found;
  return { ...rest, apiBase, basePath };
}
