/**
 * Call paths of the contract: `{name}` matches one segment, `{name+}` the rest of the path.
 *
 * Literal segments are compared with the raw text of the address, so an encoded spelling of a route
 * does not match; a parameter is percent-decoded exactly once, after matching.
 */
export type PathPattern = {
  readonly path: string;
  readonly segments: readonly PathSegment[];
};

type PathSegment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "one"; readonly name: string }
  | { readonly kind: "rest"; readonly name: string };

export function compilePath(path: string): PathPattern {
  const segments = path.slice(1).split("/").map(compileSegment);
  if (segments.slice(0, -1).some((segment) => segment.kind === "rest"))
    throw new Error(`${path}: only the last segment can stand for the rest of the path`);
  return { path, segments };
}

function compileSegment(text: string): PathSegment {
  const parameter = /^\{(\w+)(\+?)\}$/.exec(text);
  if (parameter === null) return { kind: "literal", text };
  return { kind: parameter[2] === "+" ? "rest" : "one", name: parameter[1] ?? "" };
}

/** Raw parameters of `pathname`, still percent-encoded; null when the path does not match. */
export function matchPath(
  pattern: PathPattern,
  rawSegments: readonly string[],
): ReadonlyMap<string, string> | null {
  const parameters = new Map<string, string>();
  for (const [index, segment] of pattern.segments.entries()) {
    const raw = rawSegments[index];
    if (raw === undefined) return null;
    if (segment.kind === "rest") {
      const rest = rawSegments.slice(index).join("/");
      if (rest === "") return null;
      parameters.set(segment.name, rest);
      return parameters;
    }
    if (segment.kind === "literal") {
      if (raw !== segment.text) return null;
    } else {
      if (raw === "") return null;
      parameters.set(segment.name, raw);
    }
  }
  return rawSegments.length === pattern.segments.length ? parameters : null;
}

/** Sorts more literal patterns first: `/failed` before `/{id}`. */
export function bySpecificity(left: PathPattern, right: PathPattern): number {
  const length = Math.max(left.segments.length, right.segments.length);
  for (let index = 0; index < length; index++) {
    const difference = rank(left.segments[index]) - rank(right.segments[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rank(segment: PathSegment | undefined): number {
  if (segment === undefined) return 3;
  return { literal: 0, one: 1, rest: 2 }[segment.kind];
}
