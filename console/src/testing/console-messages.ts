/** What the console said during a test and should not have. */
export const surprises: string[] = [];

const allowed: RegExp[] = [];

/** Lets the current test print such messages, e.g. React's about an error that is caught. */
export function allowMessage(pattern: RegExp): void {
  allowed.push(pattern);
}

export function takeSurprises(): string[] {
  const patterns = allowed.splice(0);
  return surprises.splice(0).filter((text) => !patterns.some((pattern) => pattern.test(text)));
}
