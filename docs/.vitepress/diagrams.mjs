/** A markdown-it plugin: a block of Mermaid becomes the component that draws it. */
export function diagrams(md) {
  const original = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (info.trim() !== "mermaid") return original(tokens, index, ...rest);
    return `<MermaidDiagram code="${encodeURIComponent(content)}" />`;
  };
}
