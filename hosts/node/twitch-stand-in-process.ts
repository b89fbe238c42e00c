import process from "node:process";
import { startTwitchStandIn } from "#stand-ins/twitch/server.ts";
import { reportToParent } from "./report-to-parent.ts";

/**
 * The Twitch stand-in in a process of its own, so that serving video does not take time from the
 * server. Ends with its parent, however that ends.
 */
const [clientId = "", clientSecret = ""] = process.argv.slice(2);
const { idUrl, apiUrl, gqlUrl, usherUrl, mediaHost } = await startTwitchStandIn({
  host: "127.0.0.1",
  port: 0,
  clientId,
  clientSecret,
});
reportToParent({ idUrl, apiUrl, gqlUrl, usherUrl, mediaHost });
