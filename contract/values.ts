import * as z from "zod/mini";

/** An instant, ISO 8601 in UTC with milliseconds, as `Date.prototype.toISOString` writes it. */
export const instantSchema = z.iso.datetime();

/** When the day of the person who looks began; without it, days are in UTC. */
export const dayStartParameter = z.optional(instantSchema);

export const sizeBytesSchema = z.number().check(z.nonnegative());

export const percentageSchema = z.number().check(z.minimum(0), z.maximum(100));

export const usdSchema = z.number();

/** The range of each {@link integerParameter}, which its schema does not expose. */
export const PARAMETER_RANGES = z.registry<{
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
}>();

/**
 * Query values arrive as text. Only plain decimal digits are accepted: no sign, exponent or space.
 */
export function integerParameter(minimum: number, maximum: number, fallback: number) {
  const refusal = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    ._default(
      z.pipe(
        z.string().check(z.regex(/^\d{1,9}$/, refusal)),
        z.pipe(
          z.transform(Number),
          z.int().check(z.minimum(minimum, refusal), z.maximum(maximum, refusal)),
        ),
      ),
      fallback,
    )
    .register(PARAMETER_RANGES, { minimum, maximum, default: fallback });
}

/** `true` or `false` in the query; nothing else. */
export const booleanParameter = z.pipe(
  z.enum(["true", "false"]),
  z.transform((text) => text === "true"),
);

export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export const logLevelSchema = z.enum(LOG_LEVELS);
export type LogLevel = z.infer<typeof logLevelSchema>;

/** Of the service as a whole. `warning`: something needs attention, but everything works. */
export const systemStatusSchema = z.enum(["healthy", "warning", "unhealthy"]);
