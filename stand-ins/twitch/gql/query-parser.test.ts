import { expect, test } from "vitest";
import { parseQuery } from "./query-parser.ts";

test("aliases, arguments of every kind and variables are read", () => {
  const query = `query Q($id: ID!, $n: Int = 3) {
    a: video(id: $id, size: {w: 320, list: [1, "x", true, null, SITE]}) { title, owner { id } } # end
  }`;
  expect(parseQuery(query, { id: "77" })).toEqual([
    {
      alias: "a",
      name: "video",
      args: { id: "77", size: { w: 320, list: [1, "x", true, null, "SITE"] } },
      fields: [
        { alias: "title", name: "title", args: {}, fields: [] },
        {
          alias: "owner",
          name: "owner",
          args: {},
          fields: [{ alias: "id", name: "id", args: {}, fields: [] }],
        },
      ],
    },
  ]);
});

test("inline fragments are taken as if they fit", () => {
  const [video] = parseQuery("{video(id:1){... on Video{title}}}", {});
  expect(video?.fields.map((field) => field.name)).toEqual(["title"]);
});

test.each(["{video(id:1){title}", "{video(id:?)}", "query"])("%s is a syntax error", (query) => {
  expect(() => parseQuery(query, {})).toThrow(/Syntax Error/);
});
