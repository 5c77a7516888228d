/**
 * Thumbnails of the decrypted photos of a list (encryption, "Previews of decrypted files"). A frame without an origin draws them, so only small images
 * that its script has drawn come to the page.
 */
import type { DrawnThumbnail, DrawThumbnail } from "../../../preview/browser/shown-content.ts";
import { createDecryptedFrame, isSmall, type PreviewedFile } from "./decrypted-preview.ts";
import type { OpenedFile } from "./encrypted-file.ts";

/** The number of photos that are decrypted at the same time. */
const PARALLEL = 2;
/** The number of drawn thumbnails that are kept for the next time that the list is shown. */
const MAX_KEPT = 500;

interface WaitingRow {
  readonly row: Element;
  readonly previewed: PreviewedFile;
}

/** The rows whose photos are to be drawn when they are in sight. */
const offered = new WeakMap<Element, WaitingRow>();
/** The rows in sight whose photos have not been drawn, in the order in which they came into sight. */
const waiting = new Map<Element, WaitingRow>();
/** The drawn thumbnails, oldest first. */
const drawn = new Map<OpenedFile, DrawnThumbnail>();
let running = 0;

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const one = offered.get(target);
      if (one && isIntersecting) waiting.set(target, one);
      else waiting.delete(target);
    }
    work();
  },
  { rootMargin: "50% 0px" },
);

/** Shows the thumbnail of a decrypted photo in its row once the row is in sight. Other files, and large ones, keep their tiles. */
export function offerThumbnail(row: Element, previewed: PreviewedFile): void {
  if (previewed.type.kind !== "image" || !isSmall(previewed.opened)) return;
  const known = drawn.get(previewed.opened);
  if (known) show(row, known);
  else {
    offered.set(row, { row, previewed });
    observer.observe(row);
  }
}

function work(): void {
  for (const [row, one] of waiting) {
    if (running >= PARALLEL) return;
    waiting.delete(row);
    observer.unobserve(row);
    if (!row.isConnected) continue;
    running += 1;
    void drawFor(one).finally(() => {
      running -= 1;
      work();
    });
  }
}

/** A row whose photo cannot be loaded or drawn keeps its tile. */
async function drawFor({ row, previewed: { opened, type } }: WaitingRow): Promise<void> {
  const bytes = await opened
    .read(opened.sizeBytes, { signal: new AbortController().signal, onDone: () => undefined })
    .catch(() => undefined);
  const thumbnail = bytes && (await draw(bytes.slice(0, bytes.size, type.type)));
  if (!thumbnail) return;
  drawn.set(opened, thumbnail);
  for (const oldest of drawn.keys()) if (drawn.size > MAX_KEPT) drawn.delete(oldest);
  show(row, thumbnail);
}

function show(row: Element, { url, width, height }: DrawnThumbnail): void {
  const image = Object.assign(document.createElement("img"), { className: "thumbnail", src: url, width, height, alt: "" });
  row.querySelector(":scope > .tile")?.replaceWith(image);
}

let drawing: Promise<MessagePort> | undefined;

/** Draws the thumbnail of an image in the frame. Resolves to undefined if the browser cannot. */
async function draw(blob: Blob): Promise<DrawnThumbnail | undefined> {
  drawing ??= openFrame();
  const { port1, port2 } = new MessageChannel();
  (await drawing).postMessage({ blob, port: port2 } satisfies DrawThumbnail, [port2]);
  return await new Promise((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<DrawnThumbnail | undefined>) => {
      port1.close();
      resolve(data);
    };
  });
}

function openFrame(): Promise<MessagePort> {
  const frame = createDecryptedFrame();
  frame.hidden = true;
  return new Promise((resolve) => {
    frame.addEventListener("load", () => {
      const { port1, port2 } = new MessageChannel();
      frame.contentWindow?.postMessage({ content: { kind: "thumbnails" }, surface: "", isEnlarged: false }, "*", [port2]);
      resolve(port1);
    });
    document.body.append(frame);
  });
}
