import process from "node:process";
import { Agent, EnvHttpProxyAgent, setGlobalDispatcher, type Dispatcher } from "undici";
import { SettingsError } from "#service/settings.ts";

/** As curl reads them: lower case first. */
const VARIABLES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/** Whether requests to other machines go through a proxy. */
export function usesProxy(): boolean {
  return VARIABLES.some((name) => Boolean(process.env[name]));
}

/**
 * Connections through the proxies of HTTPS_PROXY and HTTP_PROXY, if set. This machine and what NO_PROXY
 * names are reached directly.
 *
 * @throws {SettingsError} if a variable is no address
 */
export function openAgent(options: Agent.Options): Dispatcher {
  if (!usesProxy()) return new Agent(options);
  for (const name of VARIABLES)
    if (process.env[name] && !/^https?:\/\/[^/]/i.test(process.env[name]))
      throw new SettingsError(`${name} must be an http or https address.`);
  const named = process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? "";
  return new EnvHttpProxyAgent({ ...options, noProxy: `${named},localhost,127.0.0.1,::1` });
}

/** For the runtime's own `fetch`, which the client's commands use. */
export function useProxyForFetch(): void {
  if (usesProxy()) setGlobalDispatcher(openAgent({}));
}
