/** The time in a claim: seconds since 1970, with milliseconds as a fraction. */
export function signedTime(seconds: number): Date {
  return new Date(Math.round(seconds * 1000));
}
