/**
 * Paths that the service answers; everything else belongs to the console. Keep in sync with
 * `run_worker_first` in hosts/cloudflare/wrangler.jsonc.
 */
export const SERVICE_PATHS = /^\/(?:admin|media|healthz|readyz|openapi\.json|metrics)(?:\/|$)/;
