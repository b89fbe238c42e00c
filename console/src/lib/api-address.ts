import { BASE_PATH } from "./base-path.ts";

/** The service's address; just the base path when the service serves the console. */
const API_URL = (import.meta.env.VITE_API_URL ?? BASE_PATH).replace(/\/+$/, "");

/** The address of a path on the service. */
export function apiAddress(path: string): string {
  return `${API_URL}${path}`;
}
