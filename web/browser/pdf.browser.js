/**
 * Draws the pages of a PDF in the frame of its preview. Runs in a sandbox without an origin. Scripts in the PDF do not run: this part of pdf.js
 * has no interpreter for them.
 */

import { preview as texts } from "#texts/preview.ts";

const MAX_PAGES = 100;
/** Larger images are left out. */
const MAX_IMAGE_PIXELS = 40_000_000;
const MAX_CANVAS_WIDTH = 1_600;

const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const status = /** @type {HTMLElement} */ (main.querySelector("[role=status]"));

show().catch(() => {
  status.textContent = texts.pdfFailed;
});

async function show() {
  const { library = "", worker = "", url = "" } = main.dataset;
  // The library finds the loaded worker and runs it here: a sandbox without an origin cannot start one.
  const [{ AnnotationMode, getDocument }] = await Promise.all([import(library), import(worker)]);
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
  for (let number = 1; number <= pages; number += 1) {
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(shape.width);
    canvas.height = Math.ceil(shape.height);
    canvas.dataset.page = String(number);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", texts.pdfPage(number, pdf.numPages));
    main.append(canvas);
    observer.observe(canvas);
  }
  status.textContent = pages < pdf.numPages ? texts.pdfCut(pages, pdf.numPages) : "";
  status.hidden = status.textContent === "";

  /** @param {IntersectionObserverEntry[]} entries */
  function drawVisible(entries) {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      draw(/** @type {HTMLCanvasElement} */ (target)).catch(() => target.classList.add("failed"));
    }
  }

  /** @param {HTMLCanvasElement} canvas */
  async function draw(canvas) {
    const page = await pdf.getPage(Number(canvas.dataset.page));
    const { width } = page.getViewport({ scale: 1 });
    const pixels = Math.min(canvas.clientWidth * devicePixelRatio, MAX_CANVAS_WIDTH);
    const viewport = page.getViewport({ scale: pixels / width });
    canvas.width = Math.ceil(viewport.width);
    canvas.height = Math.ceil(viewport.height);
    await page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE }).promise;
    canvas.dataset.drawn = "";
  }
}
