/** The anchor of a heading, as GitHub makes it, so that a link works in a file viewer and on the site. */
export function headingSlug(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation}\- ]/gu, "")
    .replaceAll(" ", "-");
}
