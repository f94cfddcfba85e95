import { SignInForm } from "./sign-in-form.js";

/** The only page that people see before they sign in. */
export default function SignInPage() {
  return (
    <main className="cs-sign-in">
      <div className="cs-sign-in-card">
        <h1>Approvals</h1>
        <p>Sign in to see your pending approvals.</p>
        <SignInForm />
      </div>
    </main>
  );
}
