import { people } from "../../lib/people";

export default async function SignInPage({ searchParams }: { searchParams: Promise<{ return?: string }> }) {
  const { return: path = "/" } = await searchParams;
  return (
    <main className="page">
      <h1>Who are you?</h1>
      <form action="/api/session" method="post">
        <input type="hidden" name="return" value={path} />
        {Object.values(people).map(({ id, displayName }) => (
          <p key={id}>
            <button type="submit" name="user" value={id}>
              {displayName}
            </button>
          </p>
        ))}
      </form>
    </main>
  );
}
