/** By which a line of the log names an upload: no title, and no name of a person. */
export function idsOf({
  id,
  vod_id: vodId,
}: {
  readonly id: string;
  readonly vod_id: string | null;
}): { readonly uploadId: string; readonly vodId?: string } {
  return vodId === null ? { uploadId: id } : { uploadId: id, vodId };
}
