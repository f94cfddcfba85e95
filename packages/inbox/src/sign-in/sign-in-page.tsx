import { useContext } from "react";
import { Heading } from "../components/heading.js";
import { PlaceContext } from "../data/inbox/host.js";
import { words } from "../words/words.js";
import { SignInForm } from "./sign-in-form.js";

/** All that people see before they sign in. */
export default function SignInPage() {
  const Frame = useContext(PlaceContext).of === "inbox" ? "main" : "div";
  return (
    <Frame className="cs-sign-in">
      <div className="cs-sign-in-card">
        <Heading>{words.signIn.title}</Heading>
        <p>{words.signIn.why}</p>
        <SignInForm />
      </div>
    </Frame>
  );
}
