/** Previews of decrypted files, in a frame without an origin (encryption, "Previews of decrypted files"). */

import { preview as previewTexts } from "#texts/preview";
import { encryption as texts } from "#texts/share";
import { toReadableText } from "../../../../src/lib/text/readable-text.ts";
import type { FrameMessage, ShownContent, ShownPreview } from "../../../preview/browser/shown-content.ts";
import { formatJson, isJson } from "../../../preview/format-json.ts";
import { isProse } from "../../../preview/is-prose.ts";
import { isTable, parseTable } from "../../../preview/parse-table.ts";
import type { OpenedFile } from "./encrypted-file.ts";
import { createFrameZoom } from "./frame-zoom.ts";
import { type DecryptedType, findDecryptedType } from "./media-type.ts";

const MB = 1024 ** 2;
/** The largest file whose preview is shown without a click, because its bytes are loaded. */
const MAX_UNASKED_BYTES = 16 * MB;
/** The largest file with a preview, all of which the browser stores. */
const MAX_BYTES = 256 * MB;
/** The largest beginning of a text that is shown. */
const MAX_TEXT_BYTES = 256 * 1024;
/** The largest text that a button copies. */
const MAX_COPIED_BYTES = 16 * 1024;
/** The height of 13 rows of a table, and of the border. */
const MAX_DOCUMENT_PX = 392;
const FRAME_PATH = "/decrypted-preview";

/** A decrypted file that the page can show. */
export interface PreviewedFile {
  readonly name: string;
  readonly type: DecryptedType;
  readonly opened: OpenedFile;
  /** Decrypts the content. The latest contents are kept. */
  load(options: { readonly signal: AbortSignal; onDone(share: number): void }): Promise<ShownContent>;
}

/** Returns a file that browsers can show; undefined for other formats, and for a file that is too large. */
export function toPreviewed(name: string, opened: OpenedFile): PreviewedFile | undefined {
  const type = findDecryptedType(opened.beginning, name);
  if (!type || (type.kind !== "text" && opened.sizeBytes > MAX_BYTES)) return undefined;
  return {
    name,
    type,
    opened,
    async load(options) {
      const content = kept.get(opened) ?? (await decrypt(name, type, opened, options));
      kept.delete(opened);
      kept.set(opened, content);
      for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest);
      return content;
    },
  };
}

/** The number of contents that are kept after they were shown. */
const MAX_KEPT = 3;
/** The contents that were loaded last, oldest first. */
const kept = new Map<OpenedFile, ShownContent>();

/** Whether all of a file is loaded without a click. */
export const isSmall = ({ sizeBytes }: OpenedFile): boolean => sizeBytes <= MAX_UNASKED_BYTES;

/** Whether a preview is shown without a click. */
const isShownUnasked = ({ type, opened }: PreviewedFile): boolean =>
  type.kind === "text" || (isSmall(opened) && type.kind !== "audio" && type.kind !== "video");

async function decrypt(
  name: string,
  { kind, type }: DecryptedType,
  opened: OpenedFile,
  options: Parameters<OpenedFile["read"]>[1],
): Promise<ShownContent> {
  if (kind === "text") {
    const isCut = opened.sizeBytes > MAX_TEXT_BYTES;
    const bytes = new Uint8Array(await (await opened.read(MAX_TEXT_BYTES, options)).arrayBuffer());
    return await toTextContent(name, toReadableText(bytes), isCut);
  }
  const bytes = await opened.read(opened.sizeBytes, options);
  const blob = bytes.slice(0, bytes.size, type);
  return kind === "pdf" ? { kind, blob } : { kind, blob, label: previewTexts.label(name) };
}

/** One text takes little time here, where no other request waits for it. */
const UNLIMITED = { pause: async (): Promise<void> => undefined };

async function toTextContent(name: string, text: string, isCut: boolean): Promise<ShownContent> {
  if (isTable(name, "")) {
    const table = parseTable(text, { name, contentType: "" });
    return { kind: "table", rows: table.rows, isCut: isCut || table.isCut };
  }
  if (isJson(name, "")) return { kind: "text", text: await formatJson(text, { isCut }, UNLIMITED), isCut };
  return { kind: isProse(name, "", text) ? "prose" : "text", text, isCut };
}

export interface PreviewOptions {
  readonly signal: AbortSignal;
  /** Whether the preview fills the dialog, in which an image can be enlarged. */
  readonly isEnlarged: boolean;
  /** Handles a key or a click in the frame. */
  onKey(key: string): void;
}

/** Creates the element with the preview of a file, or with a text if it fails. Rejects only if the signal ends it. */
export async function createPreview(file: PreviewedFile, options: PreviewOptions): Promise<HTMLElement> {
  const preview = document.createElement("div");
  preview.className = "preview";
  if (isShownUnasked(file)) {
    await fill(preview, file, options).catch((error: unknown) => {
      if (options.signal.aborted) throw error;
      const line = document.createElement("p");
      showFailure(line);
      preview.append(line);
    });
  } else preview.append(createStart(preview, file, options));
  return preview;
}

function showFailure(line: HTMLElement): void {
  Object.assign(line, { className: "problem", textContent: texts.previewFailed });
}

/** Creates the button that loads a large file, or a recording, for its preview. */
function createStart(preview: HTMLElement, file: PreviewedFile, options: PreviewOptions): HTMLElement {
  const [line, button, bar] = [document.createElement("p"), document.createElement("button"), document.createElement("progress")];
  const isRecording = file.type.kind === "audio" || file.type.kind === "video";
  Object.assign(button, { type: "button", className: "button plain", textContent: isRecording ? texts.play : texts.showPreview });
  bar.setAttribute("aria-label", texts.decrypting);
  button.addEventListener("click", async () => {
    line.replaceChildren(bar);
    try {
      await fill(preview, file, options, (share) => {
        bar.value = share;
      });
    } catch {
      showFailure(line);
    }
  });
  line.append(button);
  return line;
}

async function fill(preview: HTMLElement, file: PreviewedFile, options: PreviewOptions, onDone = (_: number) => {}): Promise<void> {
  const content = await file.load({ signal: options.signal, onDone });
  const frame = createFrame(file.name, content, options);
  if ("text" in content && file.opened.sizeBytes <= MAX_COPIED_BYTES) preview.replaceChildren(frame, createCopy(content.text));
  else preview.replaceChildren(frame);
  preview.dispatchEvent(new Event("filehost:preview", { bubbles: true }));
}

/** Creates a frame for decrypted content. Its document has no origin, so the content gets none of the site's authority, whatever it is. */
export function createDecryptedFrame(): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.referrerPolicy = "no-referrer";
  frame.src = FRAME_PATH;
  return frame;
}

function createFrame(name: string, content: ShownContent, { isEnlarged, onKey }: PreviewOptions): HTMLIFrameElement {
  const frame = createDecryptedFrame();
  frame.title = previewTexts.label(name);
  frame.dataset.kind = content.kind;
  if (content.kind === "audio") fit(frame, "5rem");
  const zoom = createFrameZoom(frame);
  frame.addEventListener("load", () => {
    const { port1, port2 } = new MessageChannel();
    zoom.connect(port1);
    port1.onmessage = ({ data }: MessageEvent<FrameMessage>) => {
      if ("key" in data) onKey(data.key);
      else if ("isZoomed" in data) zoom.change(data.isZoomed);
      else if (isEnlarged && !("documentHeight" in data)) return;
      else if ("documentHeight" in data) fit(frame, `${Math.min(data.documentHeight + 2, MAX_DOCUMENT_PX)}px`);
      else if (data.width > 0 && data.height > 0) {
        frame.style.aspectRatio = `${data.width} / ${data.height}`;
        fit(frame, "auto");
        // An image is as large as its page permits, and not larger than it is.
        if (content.kind === "image") frame.style.width = `min(${data.width}px, var(--height) * ${data.width / data.height})`;
      }
    };
    // A document without an origin has no name by which a message can be addressed.
    const surface = getComputedStyle(frame).getPropertyValue("--surface");
    frame.contentWindow?.postMessage({ content, surface, isEnlarged } satisfies ShownPreview, "*", [port2]);
  });
  return frame;
}

function fit(frame: HTMLIFrameElement, height: string): void {
  frame.className = "fit";
  frame.style.height = height;
}

/** Creates the button that copies a text, which a script cannot read in the frame. */
function createCopy(text: string): HTMLElement {
  const [line, button, source] = [document.createElement("p"), document.createElement("button"), document.createElement("span")];
  line.className = "preview-actions";
  Object.assign(button, { type: "button", className: "button small", textContent: previewTexts.copy });
  button.dataset.copy = "preview-text";
  Object.assign(source, { id: "preview-text", hidden: true, textContent: text });
  line.append(button, source);
  return line;
}
