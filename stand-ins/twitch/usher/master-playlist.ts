import type { Rendition, Vod } from "../catalog/vod.ts";

/**
 * v1: TWITCH-INFO and EXT-X-MEDIA; v2: neither, but STABLE-VARIANT-ID and IVS attributes
 * (docs/twitch.md#master-playlists).
 */
export type MasterOptions = {
  readonly generation: 1 | 2;
  readonly codecs: ReadonlySet<string>;
  readonly withSource: boolean;
  readonly withAudioOnly: boolean;
  readonly withUnavailable: boolean;
};

export function renderMaster(
  vod: Vod,
  urlOf: (rendition: Rendition) => string,
  options: MasterOptions,
): string {
  const lines = ["#EXTM3U"];
  if (options.generation === 1) {
    lines.push(
      '#EXT-X-TWITCH-INFO:ORIGIN="s3",B="false",REGION="EU",USER-IP="127.0.0.1",' +
        'SERVING-ID="0123456789abcdef0123456789abcdef",CLUSTER="cloudfront_vod",' +
        'USER-COUNTRY="NL",MANIFEST-CLUSTER="cloudfront_vod"',
    );
  }
  if (options.withUnavailable && vod.unavailable.length > 0) {
    lines.push(
      `#EXT-X-SESSION-DATA:DATA-ID="com.amazon.ivs.unavailable-media",VALUE="${unavailableValue(vod)}"`,
    );
  }
  for (const rendition of vod.renditions)
    if (!vod.removedRenditions.has(rendition.groupId) && isOffered(rendition, options))
      lines.push(...renditionLines(rendition, options.generation), urlOf(rendition));
  return `${lines.join("\n")}\n`;
}

function isOffered(rendition: Rendition, options: MasterOptions): boolean {
  if (rendition.groupId === "audio_only") return options.withAudioOnly;
  if (rendition.groupId === "chunked" && !options.withSource) return false;
  const family = rendition.codecs.startsWith("avc1")
    ? "h264"
    : rendition.codecs.startsWith("hev1")
      ? "h265"
      : "av1";
  return options.codecs.has(family);
}

function renditionLines(rendition: Rendition, generation: 1 | 2): string[] {
  const resolution = rendition.resolution === null ? [] : [`RESOLUTION=${rendition.resolution}`];
  const rate =
    rendition.framesPerSecond === null
      ? []
      : [`FRAME-RATE=${rendition.framesPerSecond.toFixed(3)}`];
  const common = [
    `BANDWIDTH=${rendition.track.bandwidthBps}`,
    `CODECS="${rendition.codecs}"`,
    ...resolution,
  ];
  if (generation === 1) {
    const group = rendition.groupId;
    return [
      `#EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="${group}",NAME="${rendition.name}",AUTOSELECT=NO,DEFAULT=NO`,
      `#EXT-X-STREAM-INF:${[...common, `VIDEO="${group}"`, ...rate].join(",")}`,
    ];
  }
  const isPortrait = rendition.groupId.endsWith("-portrait");
  // Audio is also marked "source": clients must exclude it (docs/twitch.md#master-playlists).
  const isSource =
    isPortrait || rendition.groupId === "chunked" || rendition.groupId === "audio_only";
  const variant = rendition.groupId === "audio_only" ? "audio_only" : rendition.name;
  return [
    `#EXT-X-STREAM-INF:${[
      ...common,
      ...rate,
      `STABLE-VARIANT-ID="${variant}"`,
      `IVS-NAME="${variant}"`,
      `IVS-GROUPS="${isPortrait ? "portrait" : "landscape"}"`,
      `IVS-VARIANT-SOURCE="${isSource ? "source" : "transcode"}"`,
    ].join(",")}`,
  ];
}

function unavailableValue(vod: Vod): string {
  const entries = vod.unavailable.map((rendition) => ({
    NAME: rendition.name,
    "STABLE-VARIANT-ID": rendition.name,
    BANDWIDTH: rendition.bandwidthBps,
    CODECS: rendition.codecs,
    RESOLUTION: rendition.resolution,
    FILTER_REASONS: [],
    AUTHORIZATION_REASONS: ["AUTHZ_NOT_LOGGED_IN"],
    "GROUP-ID": "chunked",
    "FRAME-RATE": rendition.framesPerSecond,
  }));
  return Buffer.from(JSON.stringify(entries)).toString("base64");
}
