import { screens } from "./screens.js";
import { states } from "./states.js";

/** A page with all pictures, one state below the other. */
export function galleryPage(): string {
  const parts = states.map(({ name }) => {
    const pictures = screens.map(
      (screen) =>
        `<figure><a href="${name}/${screen.name}.png"><img loading="lazy" alt="" src="${name}/${screen.name}.png"></a><figcaption>${screen.name}</figcaption></figure>`,
    );
    return `<h2 id="${name}">${name}</h2><div>${pictures.join("")}</div>`;
  });
  const style =
    "body{font:14px system-ui;margin:24px}div{display:flex;gap:12px;overflow-x:auto}figure{margin:0}img{height:320px;border:1px solid #ccc}";
  return `<!doctype html><meta charset="utf-8"><title>Inbox gallery</title><style>${style}</style><h1>Inbox</h1>${parts.join("")}`;
}
