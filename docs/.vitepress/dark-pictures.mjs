/**
 * A markdown-it plugin. A file viewer chooses an image of `<picture>` by the system's colours; the site has a switch, so
 * there both are in the page, and the style sheet hides one.
 */
export function darkPictures(md) {
  const original = md.renderer.rules.html_block;
  md.renderer.rules.html_block = (tokens, index, ...rest) => {
    const token = tokens[index];
    token.content = token.content.replace(
      /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img ([^>]*)>\s*<\/picture>/g,
      (_, dark, image) =>
        `<img class="in-light" ${withSource(image)}><img class="in-dark" ${withSource(image, dark)}>`,
    );
    return original(tokens, index, ...rest);
  };
}

/** The attributes of an image, with a path that Vite takes for a file beside the page. */
function withSource(image, source) {
  return image.replace(/src="([^"]+)"/, (_, own) => `src="./${source ?? own}"`);
}
