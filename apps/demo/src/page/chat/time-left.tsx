import { useEffect, useState } from "react";
import { timeLeft } from "./call-text.js";

/** A countdown. Screen readers read it on request, not each second. */
export function TimeLeft({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <time dateTime={until}>{timeLeft(Date.parse(until) - now)}</time>;
}
