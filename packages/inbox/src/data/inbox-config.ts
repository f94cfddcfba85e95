/** How people sign in who are not: by a page of the host, or with a token that is exchanged for a session. */
export type InboxSignIn =
  | { url: string }
  | {
      /** `POST` with `{token}` signs in, `DELETE` signs out. */
      session: string;
      /** Ready-made ways in, for demos: pressing one sends its token. */
      people?: { name: string; note?: string; token: string }[];
    };

export interface InboxConfig {
  /** Where the approvals API is, such as `/api`. */
  apiBase: string;
  /** Where the page is, such as `/inbox`; no slash at the end. */
  basePath: string;
  signIn?: InboxSignIn | undefined;
}

/** The element that carries the configuration, as JSON. */
export const configElementId = "countersign-config";

/** Reads the configuration out of the page; what is missing falls back to a mount at `/inbox` beside `/api`. */
export function readPageConfig(page: Document): InboxConfig {
  const found: Partial<InboxConfig> = JSON.parse(page.getElementById(configElementId)?.textContent || "{}");
  return { apiBase: found.apiBase ?? "/api", basePath: found.basePath ?? "/inbox", signIn: found.signIn };
}
