import { type FormEvent, useId, useState } from "react";
import { Link } from "wouter";
import { Button } from "../components/button.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { type ListView, nameOf, searchOf } from "../logic/lists/view.js";
import { words } from "../words/words.js";

/** The most views that a person can save. */
const maxViews = 20;

/** The reader's saved searches as links, and a button that saves or forgets the present one. */
export function SavedViews({ view }: { view: ListView }) {
  const [{ views }, change] = usePreferences();
  const [naming, setNaming] = useState(false);
  const present = searchOf(view);
  const saved = views.find((each) => searchOf(each) === present);
  const canSave = view.text.trim() !== "" && saved === undefined && views.length < maxViews;
  if (views.length === 0 && !canSave) return null;
  return (
    <div className="cs-views">
      {views.length > 0 && (
        <nav aria-label={words.lists.views.label}>
          {views.map((each) => (
            <Link
              key={searchOf(each)}
              className="cs-chip"
              href={`/${searchOf(each)}`}
              aria-current={each === saved ? "page" : undefined}
            >
              {each.name}
            </Link>
          ))}
        </nav>
      )}
      {saved && (
        <Button tone="quiet" onClick={() => change({ views: views.filter((each) => each !== saved) })}>
          {words.lists.views.forget}
        </Button>
      )}
      {canSave && !naming && (
        <Button tone="quiet" onClick={() => setNaming(true)}>
          {words.lists.views.save}
        </Button>
      )}
      {canSave && naming && (
        <NewView
          proposed={nameOf(view)}
          onDone={(name) => {
            setNaming(false);
            if (name !== undefined)
              change({ views: [...views, { name, list: view.list, text: view.text.trim() }] });
          }}
        />
      )}
    </div>
  );
}

/** Asks for a name. `undefined`: the reader has changed their mind. */
function NewView({ proposed, onDone }: { proposed: string; onDone: (name: string | undefined) => void }) {
  const [name, setName] = useState(proposed);
  const id = useId();
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "") onDone(name.trim());
  };
  return (
    <form className="cs-new-view" aria-label={words.lists.views.save} onSubmit={save}>
      <label className="cs-visually-hidden" htmlFor={id}>
        {words.lists.views.name}
      </label>
      <input
        id={id}
        className="cs-input"
        // biome-ignore lint/a11y/noAutofocus: the reader has just asked for it
        autoFocus
        maxLength={40}
        autoComplete="off"
        value={name}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onDone(undefined);
        }}
      />
      <Button
        type="submit"
        tone="primary"
        blocked={name.trim() === "" ? words.lists.views.unnamed : undefined}
      >
        {words.lists.views.confirm}
      </Button>
    </form>
  );
}
