/** The package has no types of its own. */
declare module "naughty-string-validator" {
  export function getNaughtyStringList(): readonly string[];
}
