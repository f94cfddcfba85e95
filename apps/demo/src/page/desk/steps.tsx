/** What a newcomer does here. */
export function Steps() {
  return (
    <div className="nothing">
      <p>Nothing waits for you.</p>
      <ol className="steps">
        <li>Ask the agent for something, such as a refund.</li>
        <li>The policy stops the call, and it appears here.</li>
        <li>You see what would happen, and decide. It runs once.</li>
      </ol>
    </div>
  );
}
