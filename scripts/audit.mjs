import { capture } from "./tools.mjs";

// npm run audit: known vulnerabilities of what the product is made of, as the registry knows them.
// A registry without that service is no fault of the product: that is said, and nothing fails.

const { code, output } = await capture("npm", ["audit", "--omit=dev"]);
console.log(output.trim());
const isUnsupported = code !== 0 && output.includes("audit endpoint returned an error");
if (isUnsupported)
  console.log("This registry does not know of vulnerabilities: nothing was checked.");
process.exit(isUnsupported ? 0 : code);
