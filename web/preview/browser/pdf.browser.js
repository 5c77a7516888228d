/**
 * Draws the pages of a PDF in the frame of its preview. Their text lies above them, so that it can be selected and found. Runs in a sandbox without
 * an origin. Scripts in the PDF do not run, because this part of pdf.js has no interpreter for them.
 */

import { preview as texts } from "#texts/preview";

const MAX_PAGES = 100;
/** The largest image, in pixels. Larger ones are left out. */
const MAX_IMAGE_PIXELS = 40_000_000;
const MAX_CANVAS_WIDTH = 1_600;
/** The largest number of text items on all pages. A browser with more elements becomes slow. */
const MAX_TEXT_ITEMS = 100_000;

const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const status = /** @type {HTMLElement} */ (main.querySelector("[role=status]"));

show().catch(() => {
  status.textContent = texts.pdfFailed;
});

async function show() {
  const { library = "", worker = "", url = "" } = main.dataset;
  // The library finds the loaded worker and runs it here, because a sandbox without an origin cannot start one.
  const [{ AnnotationMode, getDocument, TextLayer }] = await Promise.all([import(library), import(worker)]);
  const pdf = await getDocument({
    url: new URL(url, location.href).href,
    enableXfa: false,
    useWasm: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    disableAutoFetch: true,
    verbosity: 0,
  }).promise;
  const pages = Math.min(pdf.numPages, MAX_PAGES);
  const shape = (await pdf.getPage(1)).getViewport({ scale: 1 });
  const observer = new IntersectionObserver(drawVisible, { rootMargin: "400px" });
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) setScale(/** @type {HTMLElement} */ (target));
  });
  for (let number = 1; number <= pages; number += 1) {
    const page = document.createElement("div");
    page.className = "page";
    page.dataset.page = String(number);
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(shape.width);
    canvas.height = Math.ceil(shape.height);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", texts.pdfPage(number, pdf.numPages));
    page.append(canvas);
    main.append(page);
    observer.observe(page);
    resized.observe(page);
  }
  status.textContent = pages < pdf.numPages ? texts.pdfCut(pages, pdf.numPages) : "";
  status.hidden = status.textContent === "";
  await addTexts();

  /** @param {IntersectionObserverEntry[]} entries */
  function drawVisible(entries) {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      draw(/** @type {HTMLElement} */ (target)).catch(() => target.classList.add("failed"));
    }
  }

  /** @param {HTMLElement} place */
  async function draw(place) {
    const canvas = /** @type {HTMLCanvasElement} */ (place.querySelector("canvas"));
    const page = await pdf.getPage(Number(place.dataset.page));
    const { width } = page.getViewport({ scale: 1 });
    const pixels = Math.min(canvas.clientWidth * devicePixelRatio, MAX_CANVAS_WIDTH);
    const viewport = page.getViewport({ scale: pixels / width });
    canvas.width = Math.ceil(viewport.width);
    canvas.height = Math.ceil(viewport.height);
    await page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE }).promise;
    canvas.dataset.drawn = "";
  }

  /** Adds the text of one page after another, also of pages that are not drawn yet, so that the browser finds it. */
  async function addTexts() {
    let items = 0;
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll(".page"))) {
      items += await addText(place).catch(() => 0);
      if (items > MAX_TEXT_ITEMS) return;
      // The pause gives drawing of visible pages precedence.
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** @param {HTMLElement} place */
  async function addText(place) {
    const page = await pdf.getPage(Number(place.dataset.page));
    const viewport = page.getViewport({ scale: 1 });
    const content = await page.getTextContent();
    if (content.items.length > MAX_TEXT_ITEMS) return content.items.length;
    const layer = document.createElement("div");
    layer.className = "layer";
    place.dataset.width = String(viewport.width);
    place.append(layer);
    setScale(place);
    await new TextLayer({ textContentSource: content, container: layer, viewport }).render();
    place.dataset.text = "";
    return content.items.length;
  }
}

/**
 * Sets the scale of a page's text, which has the units of the PDF.
 * @param {HTMLElement} place
 */
function setScale(place) {
  const { width } = place.dataset;
  if (width !== undefined) place.style.setProperty("--total-scale-factor", String(place.clientWidth / Number(width)));
}
