import { expect } from "vitest";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import type { ObjectHead, ObjectStore } from "#service/ports/object-store.ts";

export const MIB = 1024 * 1024;

export const TYPE = { contentType: "video/mp2t" };

export async function textOf(
  objects: ObjectStore,
  key: ObjectKey,
  offset: number,
  length: number,
): Promise<string | null> {
  const found = await objects.get(key, { offset, length });
  return found === null ? null : new Response(found.body).text();
}

export async function bytesOf(objects: ObjectStore, key: ObjectKey): Promise<Uint8Array> {
  const found = await objects.get(key);
  if (found === null) throw new Error(`${key} is not there`);
  return new Uint8Array(await new Response(found.body).arrayBuffer());
}

export async function allKeys(objects: ObjectStore, prefix?: string): Promise<readonly string[]> {
  const keys: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { objects: readonly ObjectHead[]; cursor: string | null } = await objects.list({
      ...(prefix === undefined ? {} : { prefix }),
      ...(cursor === null ? {} : { cursor }),
    });
    expect(page.objects.length).toBeLessThanOrEqual(1_000);
    keys.push(...page.objects.map((object) => object.key));
    ({ cursor } = page);
  } while (cursor !== null);
  return keys;
}

export function keyOf(text: string): ObjectKey {
  return objectKeySchema.parse(text);
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Bytes that depend on their position, so that swapped parts are detected. */
export function pattern(length: number, seed = 0): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let index = 0; index < words.length; index++)
    words[index] = Math.imul(index + seed + 1, 2_654_435_761);
  return new Uint8Array(words.buffer, 0, length);
}

export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
