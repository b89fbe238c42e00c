import { sendThumbnail } from "#contract/pictures.ts";
import type { UploadId } from "#contract/ids.ts";
import { call } from "#console/lib/api-client.ts";

const WIDTH = 320;
const HEIGHT = 180;

/** Long enough to read a frame of a large file; a browser may never answer for a damaged one. */
const TIMEOUT_MS = 10_000;

/** The first frames of many videos are black. */
const SHARE_OF_VIDEO = 0.1;

/** Sends one frame of a video as the upload's thumbnail, if this browser can decode the file. */
export async function sendFrame(id: UploadId, file: File): Promise<void> {
  try {
    const picture = await frameOf(file);
    await call(sendThumbnail, { params: { id }, body: { picture } });
  } catch {
    // The upload is complete without a picture.
  }
}

/** A small JPEG in base64. @throws if the browser cannot decode the file in time */
async function frameOf(file: File): Promise<string> {
  const video = document.createElement("video");
  const address = URL.createObjectURL(file);
  try {
    video.muted = true;
    video.preload = "auto";
    video.src = address;
    await happens(video, "loadeddata");
    // A recording in progress has no duration; its first frame is taken.
    if (Number.isFinite(video.duration)) {
      video.currentTime = video.duration * SHARE_OF_VIDEO;
      await happens(video, "seeked");
    }
    return drawSmall(video);
  } finally {
    video.removeAttribute("src");
    video.load();
    URL.revokeObjectURL(address);
  }
}

function happens(video: HTMLVideoElement, event: "loadeddata" | "seeked"): Promise<void> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    video.addEventListener(event, () => resolve(), { once: true, signal });
    video.addEventListener("error", () => reject(new Error("Not decoded")), { once: true, signal });
    signal.addEventListener("abort", () => reject(new Error("Decoding timed out")));
  });
}

/** Fills the picture; what is wider or higher is cut off. */
function drawSmall(video: HTMLVideoElement): string {
  const { videoWidth, videoHeight } = video;
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const scale = Math.max(WIDTH / videoWidth, HEIGHT / videoHeight);
  const [width, height] = [videoWidth * scale, videoHeight * scale];
  const context = canvas.getContext("2d");
  if (context === null || videoWidth === 0) throw new Error("There is no picture to draw");
  context.drawImage(video, (WIDTH - width) / 2, (HEIGHT - height) / 2, width, height);
  return canvas.toDataURL("image/jpeg", 0.7).replace(/^.*,/, "");
}
