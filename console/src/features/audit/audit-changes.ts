export type FieldChange = {
  readonly field: string;
  /** Undefined if that side lacks the field. */
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/**
 * The changes of an entry, field by field. A value that is not an object counts as one field
 * without a name; unchanged fields are omitted.
 */
export function changesOf(before: unknown, after: unknown): readonly FieldChange[] {
  const old = fieldsOf(before);
  const current = fieldsOf(after);
  return [...new Set([...old.keys(), ...current.keys()])]
    .map((field) => ({ field, before: old.get(field), after: current.get(field) }))
    .filter((change) => change.before !== change.after);
}

function fieldsOf(value: unknown): ReadonlyMap<string, string> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== "object" || Array.isArray(value)) return new Map([["", textOf(value)]]);
  return new Map(Object.entries(value).map(([field, content]) => [field, textOf(content)]));
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const isPlainList =
    Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "");
  return isPlainList ? value.join(", ") || "none" : JSON.stringify(value);
}
