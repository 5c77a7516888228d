/**
 * Shows decrypted content in the frame of its preview (docs/design/previews.md). Runs in a sandbox without an origin, whose policy
 * allows the scripts of this server alone, so nothing in the content has the authority of the site.
 */
import { listenForSwipes } from "../../site/browser/photo/swipes.ts";
import { createStage, type Zoom } from "../../site/browser/photo/zoom.ts";
import { drawThumbnail } from "./draw-thumbnail.ts";
import type { DrawThumbnail, FrameMessage, ShownContent, ShownPreview, ZoomMessage } from "./shown-content.ts";

const main = document.querySelector("main") as HTMLElement;
const status = main.querySelector("[role=status]") as HTMLElement;
const { failedImage = "", failedPlayer = "", cut = "", pdf = "" } = main.dataset;

let zoom: Zoom | undefined;

addEventListener("message", receive);

function receive({ source, data, ports: [port] }: MessageEvent<ShownPreview>): void {
  if (source !== parent || !port) return;
  removeEventListener("message", receive);
  const { content } = data;
  if (content.kind === "thumbnails") {
    port.onmessage = async ({ data }: MessageEvent<DrawThumbnail>) => data.port.postMessage(await drawThumbnail(data.blob));
    return;
  }
  const say = (message: FrameMessage): void => port.postMessage(message);
  addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLMediaElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (zoom?.handleKey(event.key)) event.preventDefault();
    else if (["ArrowLeft", "ArrowRight", "Escape", "Enter"].includes(event.key)) say({ key: event.key });
  });
  port.onmessage = ({ data: { key } }: MessageEvent<ZoomMessage>) => (key === "Enter" ? zoom?.toggle() : zoom?.handleKey(key));
  document.body.className = content.kind;
  if (content.kind !== "pdf") status.hidden = true;
  show({ ...data, content }, say);
}

type Shown = Pick<ShownPreview, "surface" | "isEnlarged"> & { readonly content: ShownContent };

function show({ content, surface, isEnlarged }: Shown, say: (message: FrameMessage) => void): void {
  if ("label" in content) {
    document.body.style.background = surface;
    main.append(content.kind === "image" ? createImage(content, isEnlarged, say) : createPlayer(content, say));
  } else if (content.kind === "pdf") {
    main.dataset.url = URL.createObjectURL(content.blob);
    void import(pdf);
  } else {
    main.append(content.kind === "table" ? createTable(content.rows) : createText(content.text));
    if (content.isCut) note(cut);
    say({ documentHeight: document.body.offsetHeight });
  }
}

type Media = Extract<ShownContent, { readonly label: string }>;

function createImage({ blob, label }: Media, isEnlarged: boolean, say: (message: FrameMessage) => void): HTMLElement {
  const image = Object.assign(document.createElement("img"), { src: URL.createObjectURL(blob), alt: label });
  image.onload = () => say({ width: image.naturalWidth, height: image.naturalHeight });
  image.onerror = () => {
    image.remove();
    note(failedImage);
  };
  if (!isEnlarged) {
    image.onclick = () => say({ key: "Enter" });
    return image;
  }
  const created = createStage(image, { url: image.src, width: 0 }, (isZoomed) => say({ isZoomed }));
  zoom = created.zoom;
  listenForSwipes(document.body, (offset) => {
    if (!zoom?.isOn()) say({ key: offset < 0 ? "ArrowLeft" : "ArrowRight" });
  });
  return created.stage;
}

function createPlayer({ kind, blob, label }: Media, say: (message: FrameMessage) => void): HTMLElement {
  const player = document.createElement(kind === "audio" ? "audio" : "video");
  Object.assign(player, { src: URL.createObjectURL(blob), controls: true, preload: "metadata" });
  player.setAttribute("aria-label", label);
  player.onloadedmetadata = () => {
    if (player instanceof HTMLVideoElement) say({ width: player.videoWidth, height: player.videoHeight });
  };
  player.onerror = () => {
    player.remove();
    note(failedPlayer);
  };
  return player;
}

function note(text: string): void {
  status.hidden = false;
  status.textContent = text;
}

const createText = (text: string): HTMLElement => Object.assign(document.createElement("pre"), { textContent: text });

/** Numbers, which are aligned at their ends. */
const NUMBER = /^[-+−]?[\d.,\s]{1,40}%?$/;

/** Creates a table. The first row is the header. */
function createTable([header = [], ...rows]: readonly (readonly string[])[]): HTMLElement {
  const scroll = Object.assign(document.createElement("div"), { className: "scroll", tabIndex: 0 });
  const table = document.createElement("table");
  const addCell = (row: HTMLTableRowElement, text: string): void => {
    const cell = row.insertCell();
    cell.textContent = text;
    if (NUMBER.test(text)) cell.className = "right";
  };
  const head = table.createTHead().insertRow();
  for (const [index, textContent] of header.entries()) {
    const areNumbers = rows.length > 0 && rows.every((cells) => NUMBER.test(cells[index] ?? ""));
    head.append(Object.assign(document.createElement("th"), { scope: "col", textContent, className: areNumbers ? "right" : "" }));
  }
  const body = table.createTBody();
  for (const cells of rows) {
    const row = body.insertRow();
    for (const text of cells) addCell(row, text);
  }
  scroll.append(table);
  return scroll;
}
