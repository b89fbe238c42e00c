/**
 * The subset of GraphQL (spec October 2021, section 2) that archivers use: one operation, its
 * selections with aliases and arguments, and variables. It detects misspelt fields.
 */
export type Selection = {
  readonly alias: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly fields: readonly Selection[];
};

export class QueryError extends Error {
  override readonly name = "QueryError";
}

/** Names, numbers, strings, the spread and punctuators; commas and comments are whitespace. */
const tokenRe =
  /\s+|,|#[^\n]*|("(?:[^"\\\n]|\\.)*")|(-?\d+(?:\.\d+)?)|([_A-Za-z]\w*)|(\.\.\.|[!$&()|:=@[\]{}])/gy;

/** Parses the selections of the query's operation and substitutes the variables. */
export function parseQuery(
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Selection[] {
  const tokens = tokenize(query);
  let at = 0;

  const peek = (): string => tokens[at] ?? "";
  const next = (): string => {
    const token = tokens[at];
    if (token === undefined) {
      throw new QueryError("Syntax Error: Unexpected <EOF>.");
    }
    at += 1;
    return token;
  };
  const expect = (wanted: string): void => {
    const token = next();
    if (token !== wanted) {
      throw new QueryError(`Syntax Error: Expected "${wanted}", found "${token}".`);
    }
  };

  function readValue(): unknown {
    const token = next();
    if (token === "$") {
      return variables[next()] ?? null;
    }
    if (token === "[") {
      const items: unknown[] = [];
      while (peek() !== "]") {
        items.push(readValue());
      }
      expect("]");
      return items;
    }
    if (token === "{") {
      const fields: Record<string, unknown> = {};
      while (peek() !== "}") {
        const name = next();
        expect(":");
        fields[name] = readValue();
      }
      expect("}");
      return fields;
    }
    if (token.startsWith('"')) {
      const text: unknown = JSON.parse(token);
      return text;
    }
    if (/^-?\d/.test(token)) {
      return Number(token);
    }
    const words: Record<string, unknown> = { true: true, false: false, null: null };
    return token in words ? words[token] : token;
  }

  function readArguments(): Record<string, unknown> {
    const args: Record<string, unknown> = {};
    if (peek() === "(") {
      expect("(");
      while (peek() !== ")") {
        const name = next();
        expect(":");
        args[name] = readValue();
      }
      expect(")");
    }
    return args;
  }

  function readSelections(): Selection[] {
    const selections: Selection[] = [];
    expect("{");
    while (peek() !== "}") {
      const first = next();
      if (first === "..." && peek() === "on") {
        // An inline fragment: its type condition is assumed to match.
        next();
        next();
        selections.push(...readSelections());
        continue;
      }
      let name = first;
      if (peek() === ":") {
        expect(":");
        name = next();
      }
      const args = readArguments();
      const fields = peek() === "{" ? readSelections() : [];
      selections.push({ alias: first, name, args, fields });
    }
    expect("}");
    return selections;
  }

  /** Checks that required variables are present, but not their types. */
  function readDeclarations(): void {
    while (peek() !== ")") {
      expect("$");
      const name = next();
      expect(":");
      let type = "";
      while (!["$", "=", ")", ""].includes(peek())) {
        type += next();
      }
      let hasDefault = false;
      if (peek() === "=") {
        next();
        readValue();
        hasDefault = true;
      }
      if (type.endsWith("!") && !hasDefault && (variables[name] ?? null) === null) {
        throw new QueryError(`Variable "$${name}" of required type "${type}" was not provided.`);
      }
    }
    expect(")");
  }

  while (at < tokens.length && peek() !== "{") {
    if (next() === "(") {
      readDeclarations();
    }
  }
  return readSelections();
}

function tokenize(query: string): string[] {
  const tokens: string[] = [];
  tokenRe.lastIndex = 0;
  while (tokenRe.lastIndex < query.length) {
    const start = tokenRe.lastIndex;
    const match = tokenRe.exec(query);
    if (match === null) {
      throw new QueryError(`Syntax Error: Unexpected character at ${start}.`);
    }
    const token = match[1] ?? match[2] ?? match[3] ?? match[4];
    if (token !== undefined) {
      tokens.push(token);
    }
  }
  return tokens;
}
