import { run } from "./tools.mjs";

// npm run --silent sbom > sbom.json: what the product is made of, as CycloneDX JSON on standard output. It is read from
// package-lock.json alone, without what only builds and tests use.

const exitCode = await run("npm", [
  "sbom",
  "--sbom-format=cyclonedx",
  "--sbom-type=application",
  "--omit=dev",
  "--package-lock-only",
]);
process.exit(exitCode);
