export interface ApprovalsClientOptions {
  /** Where the API is mounted, such as `https://desk.example.com/api`, or `/api` in a browser. */
  baseUrl: string;
  /** A token for `Authorization: Bearer`, or a function that returns one before each request. @default cookies only */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  /** A custom `fetch`, for tests or for a server's own. @default globalThis.fetch */
  fetch?: (request: Request) => Promise<Response>;
  /** Time limit for a complete response, in milliseconds. Event streams have none. @default no limit */
  timeoutMs?: number;
  /** Called with the server's time from each response and stream, for countdowns that ignore this device's clock. */
  onServerTime?: (time: Date) => void;
}
