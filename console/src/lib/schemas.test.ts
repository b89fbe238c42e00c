import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { expect, test } from "vitest";
import * as z from "zod/mini";

type Described = z.core.JSONSchema._JSONSchema;

const CONTRACT = new URL("../../../contract/", import.meta.url);

const TEXTS = ["x", "1", "a".repeat(64), "2026-01-02T03:04:05.678Z", "2026-01-02", "a@b.org"];

/** Of a schema, with one of everything; `turn` chooses among alternatives. */
function sample(schema: Described, turn: number): unknown {
  if (typeof schema === "boolean") return 1;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return sample(choices[turn % choices.length] ?? true, turn);
  if (schema.enum !== undefined) return schema.enum[turn % schema.enum.length];
  if ("const" in schema) return schema.const;
  if (schema.type === "array") return [schema.items ?? []].flat().map((one) => sample(one, turn));
  if (schema.type === "object") {
    const { properties = {}, additionalProperties: other = false } = schema;
    const shape = other === false ? properties : { ...properties, other };
    return Object.fromEntries(
      Object.entries(shape).map(([name, one]) => [name, sample(one, turn)]),
    );
  }
  if (schema.type === "boolean") return true;
  if (schema.type !== "string") return schema.minimum ?? 1;
  if (schema.format === "uri") return "https://example.org/";
  const pattern = new RegExp(schema.pattern ?? "");
  return TEXTS.find((text) => pattern.test(text)) ?? "x";
}

const WRONG = [undefined, null, true, -1, 0.5, 2 ** 60, Number.NaN, [], ["x"], {}, { x: 1 }].concat(
  ["", " x ", "2026-02-30T01:02:03Z", "2026-02-28T24:00:00Z", "2025-02-29", "not an address"],
);

/** The value itself, and with each of its parts, at any depth, absent or replaced. */
function* variants(value: unknown): Generator {
  yield value;
  yield* WRONG;
  if (Array.isArray(value)) for (const one of variants(value[0])) yield [one];
  else if (typeof value === "object" && value !== null) {
    const parts = Object.entries(value);
    for (const [key, part] of parts) {
      yield Object.fromEntries(parts.filter(([name]) => name !== key));
      for (const one of variants(part)) yield { ...value, [key]: one };
    }
    yield { ...value, unknown: 1 };
  }
}

const moduleSchema = z.record(z.string(), z.unknown());

/** The contract's modules with this module in the place of zod, as in the build. */
async function loadSmall(names: readonly string[]) {
  const exports = names.map(
    (name, index) => `export * as m${index} from "${CONTRACT.pathname}${name}";`,
  );
  const output = await build({
    configFile: false,
    logLevel: "silent",
    resolve: { alias: { "zod/mini": fileURLToPath(new URL("schemas.ts", import.meta.url)) } },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "entry" ? "\0entry" : undefined),
        load: (id) => (id === "\0entry" ? exports.join("\n") : undefined),
      },
    ],
    build: {
      write: false,
      minify: false,
      rolldownOptions: { input: "entry", preserveEntrySignatures: "strict" },
    },
  });
  const [built] = [output].flat();
  if (built === undefined || !("output" in built)) throw new Error("Nothing was built");
  const code = encodeURIComponent(built.output[0].code);
  return z.record(z.string(), moduleSchema).parse(await import(`data:text/javascript,${code}`));
}

function isSchema(value: object): value is z.ZodMiniType {
  return "safeParse" in value;
}

/** A schema, or that of a call's answer. */
function schemaOf(value: unknown): z.ZodMiniType | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("data" in value && "method" in value) return schemaOf(value.data);
  return isSchema(value) ? value : undefined;
}

function verdict(schema: z.ZodMiniType, value: unknown): string {
  const { success, data } = schema.safeParse(value);
  return success ? `is ${JSON.stringify(data)}` : "is refused";
}

test("the build's schemas judge and read each value of the contract as zod does", async () => {
  const files = await readdir(CONTRACT);
  // The registry lists what is in the others.
  const names = files.filter((name) => /^(?!registry).*(?<!\.test)\.ts$/.test(name));
  const small = await loadSmall(names);
  const differences: string[] = [];
  let compared = 0;
  for (const [index, name] of names.entries()) {
    const module = moduleSchema.parse(await import(new URL(name, CONTRACT).href));
    const twins = small[`m${index}`] ?? {};
    for (const [key, value] of Object.entries(module)) {
      const schema = schemaOf(value);
      const other = schemaOf(twins[key]);
      if (schema === undefined || other === undefined) continue;
      const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
      const others = [1, 2, 3].map((turn) => sample(described, turn));
      for (const one of [...variants(sample(described, 0)), ...others]) {
        compared += 1;
        const [expected, found] = [verdict(schema, one), verdict(other, one)];
        if (expected !== found)
          differences.push(`${name} ${key} of ${JSON.stringify(one)} ${expected}, not ${found}`);
      }
    }
  }
  expect(compared).toBeGreaterThan(10_000);
  expect(differences.slice(0, 10)).toEqual([]);
});
