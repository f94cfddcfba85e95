/** A key, as printed on buttons and in the list of shortcuts; assistive technology hears of it elsewhere. */
export function Kbd({ children }: { children: string }) {
  return (
    <span className="cs-kbd" aria-hidden="true">
      {children}
    </span>
  );
}
