import { words } from "../words/words.js";
import { SignInForm } from "./sign-in-form.js";

/** The only page that people see before they sign in. */
export default function SignInPage() {
  return (
    <main className="cs-sign-in">
      <div className="cs-sign-in-card">
        <h1>{words.signIn.title}</h1>
        <p>{words.signIn.why}</p>
        <SignInForm />
      </div>
    </main>
  );
}
