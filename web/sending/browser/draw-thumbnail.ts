/** Small pictures of chosen photos. They are drawn without a URL of the file, one after the other, because a photo needs much memory meanwhile. */

/** Formats of pixels alone. An SVG could load something or run a script, so it has no picture. */
const PICTURE = /^image\/(?:jpeg|png|gif|webp|avif|bmp)$/;
const MAX_BYTES = 64 * 1024 ** 2;
/** The size of a picture, which has the proportions of a tile, in pixels. */
const SIZE = { width: 72, height: 88 };

let drawing: Promise<unknown> = Promise.resolve();
/** The drawn pictures, so that a photo keeps its picture from the choice to the end of the upload. */
const pictures = new WeakMap<File, HTMLCanvasElement>();

/** Shows the picture of a file in place of its tile, unless the place has left the page or the browser cannot decode the file. */
export function drawThumbnail(file: File, place: HTMLElement | null): void {
  const drawn = pictures.get(file);
  if (drawn) show(drawn, place);
  else if (PICTURE.test(file.type) && file.size <= MAX_BYTES) drawing = drawing.then(() => draw(file, place)).catch(() => undefined);
}

async function draw(file: File, place: HTMLElement | null): Promise<void> {
  if (!place?.isConnected) return;
  const bitmap = await createImageBitmap(file, { resizeWidth: 2 * SIZE.width, resizeQuality: "medium" });
  const canvas = Object.assign(document.createElement("canvas"), { className: "tile", ...SIZE });
  const scale = Math.max(canvas.width / bitmap.width, canvas.height / bitmap.height);
  const [width, height] = [bitmap.width * scale, bitmap.height * scale];
  canvas.getContext("2d")?.drawImage(bitmap, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
  bitmap.close();
  pictures.set(file, canvas);
  show(canvas, place);
}

function show(picture: HTMLCanvasElement, place: HTMLElement | null): void {
  place?.firstElementChild?.toggleAttribute("hidden", true);
  place?.append(picture);
}
