import { expect, it } from "vitest";
import { foreignWords } from "./foreign-words.ts";

it.each([
  ["a megabyte", "much ".repeat(200_000), `${"much ".repeat(39)}much…`],
  ["Amazon's keys", "key AKIAIOSFODNN7EXAMPLE is off", "key [masked] is off"],
  ["a secret key", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY?", "[masked]?"],
  [
    "a bearer token",
    "bad Authorization: Bearer abc.def-ghi12",
    "bad Authorization: Bearer [masked]",
  ],
  [
    "the file system's path",
    "EMFILE: too many open files, open '/srv/a b/objects/~new/1'",
    "EMFILE: too many open files, open",
  ],
  ["two paths", "EXDEV: no, rename '/a/b' -> '/c/d'", "EXDEV: no, rename"],
  ["a path", "cannot open /var/lib/minio/.minio.sys: no", "cannot open [path]: no"],
  ["an address", "see https://s3.example/bucket/key", "see https://s3.example/bucket/key"],
  ["control and bidirectional characters", "a\u0000\u001b[1mb\u202Ec", "a [1mbc"],
])("cleans %s", (_, text, words) => {
  expect(foreignWords(text)).toBe(words);
});
