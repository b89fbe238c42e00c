import * as z from "zod/mini";
import { PERMISSIONS } from "#contract/permissions.ts";

const moduleSchema = z.object({
  SCREENS: z.record(
    z.string(),
    z.object({ path: z.string(), permission: z.nullable(z.enum(PERMISSIONS)) }),
  ),
});

/** Not a literal: these scripts are compiled without the console's JSX. */
const SCREENS_MODULE = new URL("../console/src/app/screens.ts", import.meta.url).href;

/** The console's screens by name, as far as scripts need them. */
export const { SCREENS } = moduleSchema.parse(await import(SCREENS_MODULE));

/** Path of each screen of the console, by name. */
export const SCREEN_PATHS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SCREENS).map(([name, { path }]) => [name, path]),
);
