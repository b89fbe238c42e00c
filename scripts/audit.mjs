import { capture } from "./tools.mjs";

// npm run audit: reports known vulnerabilities of production dependencies, as listed by the
// registry. A registry without this service is reported but is no failure.

const { code, output } = await capture("npm", ["audit", "--omit=dev"]);
console.log(output.trim());
const isUnsupported = code !== 0 && output.includes("audit endpoint returned an error");
if (isUnsupported)
  console.log("This registry does not know of vulnerabilities: nothing was checked.");
process.exit(isUnsupported ? 0 : code);
