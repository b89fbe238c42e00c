import { run } from "./tools.mjs";

// npm run --silent sbom > sbom.json: prints the production dependencies as CycloneDX JSON. Reads
// only package-lock.json, and omits packages for builds and tests.

const exitCode = await run("npm", [
  "sbom",
  "--sbom-format=cyclonedx",
  "--sbom-type=application",
  "--omit=dev",
  "--package-lock-only",
]);
process.exit(exitCode);
