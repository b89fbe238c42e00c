/**
 * Paths that the service answers; everything else is the console. `run_worker_first` in
 * hosts/cloudflare/wrangler.jsonc names the same.
 */
export const SERVICE_PATHS = /^\/(?:admin|media|healthz|readyz|openapi\.json|metrics)(?:\/|$)/;
