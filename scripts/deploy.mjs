import { ensureConsoleBuilt } from "./build.mjs";
import { ensureInstalled } from "./install.mjs";
import { PROJECT_NODE, run } from "./tools.mjs";

// npm run deploy [-- --dry-run]: console and Worker to Cloudflare. See docs/deploy.md.

await ensureInstalled();
await ensureConsoleBuilt();
process.exit(await run(PROJECT_NODE, ["scripts/deploy-worker.ts", ...process.argv.slice(2)]));
