import { escaped, type ShownBlock, type ShownButton } from "./block-schemas.js";
import { type SignedRequest, signedRequest } from "./signed-request.js";
import type { OpenedView, SlackMessage, Workspace } from "./workspace.js";

/** Does what people do in Slack, and signs the requests that Slack would then send to the app. */
export class SlackPeople {
  readonly #workspace: Workspace;
  readonly #secret: string;

  constructor(workspace: Workspace, secret: string) {
    this.#workspace = workspace;
    this.#secret = secret;
  }

  /**
   * Presses a button by its label.
   *
   * @param showing The message's blocks when the person looked at it. @default what it shows now
   */
  press(
    user: string,
    label: string,
    message: Pick<SlackMessage, "channel" | "ts" | "blocks">,
    showing: readonly ShownBlock[] = message.blocks,
  ): SignedRequest {
    const button = buttonsIn(showing).find(({ text }) => text.text === label);
    if (!button) throw new Error(`The message has no button "${label}"`);
    const at = this.#workspace.now().getTime() / 1000;
    return this.#signed({
      type: "block_actions",
      ...this.#person(user),
      container: {
        type: "message",
        message_ts: message.ts,
        channel_id: message.channel,
        is_ephemeral: false,
      },
      trigger_id: this.#workspace.addTrigger(user),
      channel: { id: message.channel, name: this.#workspace.channels.get(message.channel)?.name ?? "" },
      message: { type: "message", ts: message.ts, blocks: JSON.parse(escaped(JSON.stringify(showing))) },
      state: { values: {} },
      response_url: "https://hooks.slack.com/actions/T000000001/1/unused",
      actions: [{ ...button, block_id: "generated", action_ts: at.toFixed(6) }],
    });
  }

  /** Submits the modal that the app opened, with texts by block. */
  submit(user: string, opened: OpenedView, texts: Record<string, string>): SignedRequest {
    const values: Record<string, unknown> = {};
    for (const block of opened.view.blocks) {
      if (block.type !== "input") continue;
      const { block_id = "generated", element, optional } = block;
      const value = texts[block_id] ?? null;
      if (value === null && !optional) throw new Error(`Slack requires a text in ${block_id}`);
      if (value !== null && value.length > (element.max_length ?? 3000))
        throw new Error("The text is too long");
      values[block_id] = { [element.action_id ?? "generated"]: { type: element.type, value } };
    }
    const { type, callback_id, private_metadata = "" } = opened.view;
    return this.#signed({
      type: "view_submission",
      ...this.#person(user),
      trigger_id: this.#workspace.addTrigger(user),
      view: { id: opened.id, type, callback_id, private_metadata, state: { values }, hash: "1.abc" },
      response_urls: [],
    });
  }

  /** What the modal does after the app's answer: closes, or shows errors by block. */
  async afterSubmit(opened: OpenedView, response: Response): Promise<"closed" | Record<string, string>> {
    if (response.status !== 200) throw new Error(`Slack shows an error after status ${response.status}`);
    const text = await response.text();
    if (text === "") return "closed";
    const answer = JSON.parse(text);
    const known = new Set(
      opened.view.blocks.flatMap((block) => (block.type === "input" ? (block.block_id ?? []) : [])),
    );
    if (answer.response_action !== "errors" || !Object.keys(answer.errors).every((id) => known.has(id))) {
      throw new Error(`Slack does not understand the answer ${text}`);
    }
    return answer.errors;
  }

  #person(id: string) {
    const { team } = this.#workspace;
    const user = this.#workspace.users.get(id);
    if (!user) throw new Error(`No user ${id}`);
    return {
      user: { id, username: id.toLowerCase(), name: id.toLowerCase(), team_id: user.team },
      ...{
        api_app_id: "A000000001",
        token: "legacy-verification-token",
        team: { id: team, domain: "example" },
      },
      ...{ enterprise: null, is_enterprise_install: false },
    };
  }

  #signed(payload: unknown): SignedRequest {
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return signedRequest(body, this.#secret, this.#workspace.now());
  }
}

export function buttonsIn(blocks: readonly ShownBlock[]): ShownButton[] {
  return blocks.flatMap((block) => {
    if (block.type === "section") return block.accessory ?? [];
    return block.type === "actions" ? block.elements : [];
  });
}

/** All texts of a message, as people read them from top to bottom. */
export function textsIn(blocks: readonly ShownBlock[]): string[] {
  return blocks.flatMap((block) => {
    if (block.type === "header") return [block.text.text];
    if (block.type === "section")
      return [block.text, ...(block.fields ?? [])].flatMap((text) => text?.text ?? []);
    return block.type === "context" ? block.elements.map(({ text }) => text) : [];
  });
}
