/** The last part of an object's key: the name under which a play grant serves it. */
export function lastSegment(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}
