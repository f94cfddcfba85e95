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
}

/** The id of the element with the configuration as JSON. */
export const configElementId = "countersign-config";

/** Reads the configuration from the page. Defaults to `/inbox` and `/api`. */
export function readPageConfig(page: Document): InboxConfig {
  const found: Partial<InboxConfig> = JSON.parse(page.getElementById(configElementId)?.textContent || "{}");
  return { apiBase: found.apiBase ?? "/api", basePath: found.basePath ?? "/inbox", signIn: found.signIn };
}
