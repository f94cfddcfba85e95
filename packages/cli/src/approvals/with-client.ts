import { visibleText } from "@countersign/policy/internal/display/visible-text";
import {
  ApprovalsApiError,
  type ApprovalsClient,
  ApprovalsConnectionError,
  createApprovalsClient,
} from "countersign/client";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";

export interface ApprovalsOptions {
  url?: string | undefined;
  json?: boolean | undefined;
}

/**
 * Does something with the API as the principal of the token in COUNTERSIGN_TOKEN. Prints the API's errors.
 * @throws UsageError if there is no URL or token, or no API at the URL.
 */
export async function withClient(
  { url }: ApprovalsOptions,
  io: CliIo,
  work: (approvals: ApprovalsClient) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (!url) {
    throw new UsageError(
      "set --url, or COUNTERSIGN_URL, to the base URL of the API, such as https://desk.example.com/api",
    );
  }
  const token = process.env.COUNTERSIGN_TOKEN;
  if (!token) {
    throw new UsageError("set COUNTERSIGN_TOKEN to an API token; tokens cannot be passed as options");
  }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError("--url: must be the base URL of the API, such as https://desk.example.com/api");
  }
  try {
    return await work(createApprovalsClient({ baseUrl: url, token }));
  } catch (error) {
    if (error instanceof ApprovalsApiError) {
      const { code, message } = error;
      io.err(`${visibleText(message, 500)} (${visibleText(code, 100)})\n`);
      return exitCodes.failed;
    }
    if (error instanceof ApprovalsConnectionError || error instanceof TypeError) {
      throw new UsageError(`--url: no approvals API responds at ${new URL(url).origin}`);
    }
    throw error;
  }
}
