import { QueryError, type Selection } from "./query-parser.ts";

/** A value, or a function of the arguments that returns one. */
export type GqlObject = { readonly [field: string]: GqlValue };
type GqlField = (args: Readonly<Record<string, unknown>>) => GqlValue;
export type GqlValue =
  | null
  | string
  | number
  | boolean
  | GqlObject
  | GqlField
  | readonly GqlValue[];

/** Resolves the selected fields and refuses unknown ones, as Twitch's server does. */
export function select(
  typeName: string,
  object: GqlObject,
  selections: readonly Selection[],
): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const { alias, name, args, fields } of selections) {
    if (name === "__typename") {
      picked[alias] = typeName;
      continue;
    }
    const field = object[name];
    if (field === undefined) {
      throw new QueryError(`Cannot query field "${name}" on type "${typeName}".`);
    }
    picked[alias] = selectValue(name, typeof field === "function" ? field(args) : field, fields);
  }
  return picked;
}

function selectValue(name: string, value: GqlValue, fields: readonly Selection[]): unknown {
  if (Array.isArray(value)) {
    const items: readonly GqlValue[] = value;
    return items.map((item) => selectValue(name, item, fields));
  }
  if (isObject(value)) {
    if (fields.length === 0) {
      throw new QueryError(`Field "${name}" must have a selection of subfields.`);
    }
    return select(typeNameOf(name), value, fields);
  }
  return value;
}

function isObject(value: GqlValue): value is GqlObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeNameOf(field: string): string {
  return field.charAt(0).toUpperCase() + field.slice(1);
}
