// Renders Slack's Block Kit blocks as HTML, for the pictures of the documentation only. It is no copy of Slack's page.

const escaped = (text) =>
  text.replace(
    /[&<>"]/g,
    (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character],
  );

/** Plain text as it is; of markup only dates, by the text that Slack shows where it cannot format them, and bold names. */
const textOf = ({ type, text }) => {
  if (type !== "mrkdwn") return escaped(text);
  const bold = /^\*([^*]+)\*$/.exec(text)?.[1];
  return bold === undefined
    ? escaped(text.replace(/<!date\^\d+\^[^|>]*\|([^>]*)>/g, "$1"))
    : `<b>${escaped(bold)}</b>`;
};

function block(one) {
  switch (one.type) {
    case "header":
      return `<h1>${textOf(one.text)}</h1>`;
    case "section":
      return one.fields
        ? `<div class="fields">${one.fields.map((text) => `<span>${textOf(text)}</span>`).join("")}</div>`
        : `<div class="line"><p>${textOf(one.text)}</p>${one.accessory ? button(one.accessory) : ""}</div>`;
    case "context":
      return `<p class="context">${one.elements.map(textOf).join(" &nbsp; ")}</p>`;
    case "actions":
      return `<div class="actions">${one.elements.map(button).join("")}</div>`;
    default:
      throw new Error(`There is no picture of a block of type ${one.type}`);
  }
}

const button = ({ text, style = "plain" }) => `<span class="button ${style}">${textOf(text)}</span>`;

const style = `
  body { margin: 0; padding: 20px; width: 560px; font: 15px/1.45 system-ui, sans-serif; color: #1d1c1d; background: #fff }
  .message { display: grid; grid-template-columns: 36px 1fr; gap: 10px; margin-bottom: 20px }
  .app { width: 36px; height: 36px; border-radius: 6px; background: #1d4ed8; color: #fff; font: 700 18px/36px system-ui; text-align: center }
  .name { font-weight: 700 } .name small { padding: 1px 4px; border-radius: 3px; background: #e8e8e8; font-size: 10px; font-weight: 600 }
  h1 { margin: 4px 0; font-size: 18px } p { margin: 4px 0; overflow-wrap: anywhere } .context { color: #616061; font-size: 12.5px }
  .fields { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 12px; margin: 4px 0 }
  .line { display: flex; gap: 12px; justify-content: space-between; align-items: start } .line .button { flex: none }
  .actions { display: flex; gap: 8px; margin-top: 8px }
  .button { padding: 5px 12px; border: 1px solid #b9b9b9; border-radius: 6px; font-weight: 700 }
  .primary { border-color: #007a5a; background: #007a5a; color: #fff }
`;

/** A page that shows messages of the app, one below the other. */
export function slackPage(messages) {
  const shown = messages.map(
    (blocks) =>
      `<div class="message"><div class="app">A</div><div><div class="name">Approvals <small>APP</small></div>${blocks.map(block).join("")}</div></div>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>Slack</title><style>${style}</style>${shown.join("")}`;
}
