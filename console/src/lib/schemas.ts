/**
 * Takes the place of `zod/mini` in the build (vite.config.ts), as far as the console's schemas use
 * it: a tenth of its size, and zod takes longer to make the schemas of a screen than the browser to
 * lay it out. `schemas.test.ts` compares both by every answer of the contract.
 */

type Issue = { readonly path: PropertyKey[]; readonly message: string };
type Read = (value: unknown, issues: Issue[]) => unknown;
/** Returns the value, perhaps another; a value that fails adds an issue. */
type Check = Read;
type Shape = Readonly<Record<string, Schema>>;

class SchemaError extends Error {
  readonly issues: readonly Issue[];
  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
    this.issues = issues;
  }
}

class Schema {
  /** What the value becomes. If it is not valid, there are new issues. */
  readonly read: Read;
  readonly shape: Shape;
  readonly options: readonly unknown[];
  readonly unknownKeys: "dropped" | "refused";
  constructor(
    read: Read,
    shape: Shape = {},
    options: readonly unknown[] = [],
    unknownKeys: "dropped" | "refused" = "dropped",
  ) {
    this.read = read;
    this.shape = shape;
    this.options = options;
    this.unknownKeys = unknownKeys;
  }
  parse(value: unknown): unknown {
    const issues: Issue[] = [];
    const data = this.read(value, issues);
    if (issues.length > 0) throw new SchemaError(issues);
    return data;
  }
  safeParse(value: unknown) {
    try {
      return { success: true, data: this.parse(value) };
    } catch (error) {
      return { success: false, error };
    }
  }
  check(...checks: readonly Check[]): Schema {
    const { read, shape, options, unknownKeys } = this;
    return new Schema(
      (value, issues) => {
        const before = issues.length;
        const data = read(value, issues);
        return issues.length > before
          ? data
          : checks.reduce<unknown>((checked, check) => check(checked, issues), data);
      },
      shape,
      options,
      unknownKeys,
    );
  }
  /** Known to the type checker only. */
  brand(): this {
    return this;
  }
  register(): this {
    return this;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a part of a value, and names it in what is wrong with it. */
function readPart({ read }: Schema, value: unknown, key: PropertyKey, issues: Issue[]): unknown {
  const before = issues.length;
  const part = read(value, issues);
  for (let index = before; index < issues.length; index += 1) issues[index]?.path.unshift(key);
  return part;
}

function refuse(issues: Issue[], message = "is not valid", path: PropertyKey[] = []): void {
  issues.push({ path, message });
}

/* @__NO_SIDE_EFFECTS__ */
function ifValid(isValid: (value: unknown) => boolean): Schema {
  return new Schema((value, issues) => {
    if (!isValid(value)) refuse(issues);
    return value;
  });
}

/* @__NO_SIDE_EFFECTS__ */
function ifText(isValid: (text: string) => boolean): Schema {
  return ifValid((value) => typeof value === "string" && isValid(value));
}

/* @__NO_SIDE_EFFECTS__ */
export const unknown = () => ifValid(() => true);
/* @__NO_SIDE_EFFECTS__ */
export const string = () => ifValid((value) => typeof value === "string");
/* @__NO_SIDE_EFFECTS__ */
export const boolean = () => ifValid((value) => typeof value === "boolean");
/* @__NO_SIDE_EFFECTS__ */
export const number = () => ifValid((value) => Number.isFinite(value));
/* @__NO_SIDE_EFFECTS__ */
export const int = () => ifValid((value) => Number.isSafeInteger(value));
/* @__NO_SIDE_EFFECTS__ */
export const url = () => ifText((text) => URL.canParse(text));
/* @__NO_SIDE_EFFECTS__ */
export const email = () => ifText((text) => /^[\w'+.-]*[\w+-]@(?:[\w-]+\.)+[a-z]{2,}$/i.test(text));
/* @__NO_SIDE_EFFECTS__ */
export const literal = (known: unknown) => ifValid((value) => value === known);

function isDay(text: string): boolean {
  const startMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(startMs) && new Date(startMs).toISOString().startsWith(text);
}

const INSTANT = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

export const iso = {
  date: () => ifText((text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text)),
  datetime: () => ifText((text) => isDay(INSTANT.exec(text)?.[1] ?? "")),
};

/* @__NO_SIDE_EFFECTS__ */
function enumOf(options: readonly unknown[]): Schema {
  return new Schema(ifValid((value) => options.includes(value)).read, {}, options);
}
export { enumOf as enum };

/* @__NO_SIDE_EFFECTS__ */
export const nullable = ({ read, shape, options }: Schema) =>
  new Schema((value, issues) => (value === null ? null : read(value, issues)), shape, options);
/* @__NO_SIDE_EFFECTS__ */
export const optional = (schema: Schema) => _default(schema, undefined);
/* @__NO_SIDE_EFFECTS__ */
export const nullish = (schema: Schema) => optional(nullable(schema));
/* @__NO_SIDE_EFFECTS__ */
export const _default = ({ read, shape, options }: Schema, absent: unknown) =>
  new Schema(
    (value, issues) => (value === undefined ? absent : read(value, issues)),
    shape,
    options,
  );

/* @__NO_SIDE_EFFECTS__ */
export const transform = (change: (value: unknown) => unknown) => new Schema(change);

/* @__NO_SIDE_EFFECTS__ */
export function pipe(from: Schema, to: Schema): Schema {
  return from.check(to.read);
}

/* @__NO_SIDE_EFFECTS__ */
export function array(item: Schema): Schema {
  return new Schema((value, issues) => {
    if (Array.isArray(value))
      return value.map((one: unknown, index) => readPart(item, one, index, issues));
    refuse(issues);
    return value;
  });
}

/* @__NO_SIDE_EFFECTS__ */
export function object(shape: Shape, unknownKeys: Schema["unknownKeys"] = "dropped"): Schema {
  const parts = Object.entries(shape);
  function read(value: unknown, issues: Issue[]): unknown {
    if (!isRecord(value)) {
      refuse(issues);
      return value;
    }
    const data: Record<string, unknown> = {};
    for (const [name, schema] of parts) {
      const part = readPart(schema, value[name], name, issues);
      if (part !== undefined || name in value) data[name] = part;
    }
    if (unknownKeys === "refused")
      for (const name of Object.keys(value))
        if (!Object.hasOwn(shape, name)) refuse(issues, `unknown ${name}`);
    return data;
  }
  return new Schema(read, shape, [], unknownKeys);
}

/* @__NO_SIDE_EFFECTS__ */
export const strictObject = (shape: Shape) => object(shape, "refused");
/* @__NO_SIDE_EFFECTS__ */
export const extend = ({ shape, unknownKeys }: Schema, more: Shape) =>
  object({ ...shape, ...more }, unknownKeys);
/* @__NO_SIDE_EFFECTS__ */
export function partial({ shape, unknownKeys }: Schema): Schema {
  const parts = Object.entries(shape).map(([name, schema]) => [name, optional(schema)] as const);
  return object(Object.fromEntries(parts), unknownKeys);
}
/* @__NO_SIDE_EFFECTS__ */
export function pick({ shape, unknownKeys }: Schema, names: object): Schema {
  const parts = Object.entries(shape).filter(([name]) => name in names);
  return object(Object.fromEntries(parts), unknownKeys);
}
/* @__NO_SIDE_EFFECTS__ */
export const keyof = ({ shape }: Schema) => enumOf(Object.keys(shape));

/* @__NO_SIDE_EFFECTS__ */
export function record(key: Schema, value: Schema): Schema {
  return new Schema((given, issues) => {
    if (!isRecord(given)) {
      refuse(issues);
      return given;
    }
    const data = Object.entries(given).map(([name, part]) => {
      readPart(key, name, name, issues);
      return [name, readPart(value, part, name, issues)] as const;
    });
    return Object.fromEntries(data);
  });
}
export { record as partialRecord };

/* @__NO_SIDE_EFFECTS__ */
export function union(options: readonly Schema[]): Schema {
  return new Schema((value, issues) => {
    for (const { read } of options) {
      const own: Issue[] = [];
      const data = read(value, own);
      if (own.length === 0) return data;
    }
    refuse(issues);
    return value;
  });
}

/* @__NO_SIDE_EFFECTS__ */
export function discriminatedUnion(name: string, options: readonly Schema[]): Schema {
  return new Schema((value, issues) => {
    const which = isRecord(value) ? value[name] : undefined;
    const option = options.find(({ shape }) => shape[name]?.safeParse(which).success === true);
    if (option !== undefined) return option.read(value, issues);
    refuse(issues, "is of no known kind", [name]);
    return value;
  });
}

/** What a refusal says, and of which part. */
type Refusal = string | { readonly path?: PropertyKey[]; readonly error?: string };

/* @__NO_SIDE_EFFECTS__ */
export function refine(isValid: (value: never) => boolean, refusal: Refusal = {}): Check {
  const { error, path = [] } = typeof refusal === "string" ? { error: refusal } : refusal;
  return (value, issues) => {
    // The schema before it has made sure of the type.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (!isValid(value as never)) refuse(issues, error, [...path]);
    return value;
  };
}

type Sized = { readonly length: number };
/* @__NO_SIDE_EFFECTS__ */
export const minLength = (least: number) => refine(({ length }: Sized) => length >= least);
/* @__NO_SIDE_EFFECTS__ */
export const maxLength = (most: number) => refine(({ length }: Sized) => length <= most);
/* @__NO_SIDE_EFFECTS__ */
export const regex = (pattern: RegExp) => refine((text: string) => pattern.test(text));
/* @__NO_SIDE_EFFECTS__ */
export const minimum = (least: number) => refine((value: number) => value >= least);
/* @__NO_SIDE_EFFECTS__ */
export const maximum = (most: number) => refine((value: number) => value <= most);
/* @__NO_SIDE_EFFECTS__ */
export const positive = () => refine((value: number) => value > 0);
/* @__NO_SIDE_EFFECTS__ */
export const nonnegative = () => minimum(0);
/* @__NO_SIDE_EFFECTS__ */
export const trim = (): Check => (value) => String(value).trim();

/** Only the service looks into it. */
export const registry = () => new Map();

export const parse = (schema: Schema, value: unknown) => schema.parse(value);
export const safeParse = (schema: Schema, value: unknown) => schema.safeParse(value);
