/** Enlarges a photo in the dialog to the size of its original, and moves the visible part. */

/** The limits of the enlarged width, in multiples of the fitting width. */
const MIN_FACTOR = 2;
const MAX_FACTOR = 4;
/** The way of the mouse in pixels from which pressing the button moves the photo. */
const MIN_DRAG = 4;
/** The part of the visible size by which a key moves the photo. */
const KEY_STEP = 0.2;

export interface Zoom {
  isOn(): boolean;
  toggle(): void;
  /** Handles a key that zooms, or that moves an enlarged photo. Returns whether it did. */
  handleKey(key: string): boolean;
}

/** Makes a photo enlargeable. Its element keeps its size, and becomes the part in which the enlarged photo scrolls. */
export function createZoom(picture: HTMLElement, onChange: (isOn: boolean) => void): Zoom | undefined {
  const link = picture.querySelector<HTMLAnchorElement>("a[data-enlarge]");
  const image = picture.querySelector("img");
  if (!link || !image) return undefined;
  const { stage, zoom } = createStage(image, { url: link.href, width: Number(link.dataset.width ?? 0) }, onChange);
  link.replaceWith(stage);
  return zoom;
}

/** Moves a photo into an element in which it can be enlarged to its original, of a width in pixels or at least its own. */
export function createStage(
  image: HTMLImageElement,
  original: { readonly url: string; readonly width: number },
  onChange: (isOn: boolean) => void,
): { readonly stage: HTMLElement; readonly zoom: Zoom } {
  const stage = document.createElement("div");
  stage.className = "stage";
  stage.append(image);
  let isOn = false;
  let wasDragged = false;
  listenForDrags();
  stage.addEventListener("click", ({ clientX, clientY }) => {
    if (!wasDragged) toggle({ clientX, clientY });
  });
  return { stage, zoom: { isOn: () => isOn, toggle: () => toggle(), handleKey } };

  /** Enlarges the photo round a point, or its center; or fits it again. */
  function toggle(point?: { readonly clientX: number; readonly clientY: number }): void {
    isOn = !isOn;
    const { left, top, width, height } = shownBox();
    const box = stage.getBoundingClientRect();
    const { clientX, clientY } = point ?? { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
    stage.classList.toggle("zoomed", isOn);
    if (isOn) {
      const enlarged = Math.min(
        Math.max(Math.max(original.width, image.naturalWidth) / devicePixelRatio, MIN_FACTOR * width),
        MAX_FACTOR * width,
      );
      image.style.width = `${Math.round(enlarged)}px`;
      stage.scrollLeft = ((clientX - left) / width) * enlarged - (clientX - box.left);
      stage.scrollTop = ((clientY - top) / height) * ((enlarged * height) / width) - (clientY - box.top);
      void loadOriginal();
    } else image.style.width = "";
    onChange(isOn);
  }

  /** Returns the rectangle of the fitted photo, which is smaller than its element. */
  function shownBox() {
    const box = image.getBoundingClientRect();
    const natural = { width: image.naturalWidth || box.width, height: image.naturalHeight || box.height };
    const scale = Math.min(1, box.width / natural.width, box.height / natural.height);
    const [width, height] = [natural.width * scale, natural.height * scale];
    return { left: box.left + (box.width - width) / 2, top: box.top + (box.height - height) / 2, width, height };
  }

  /** Replaces the reduced photo by its original once that is loaded. Without it, the reduced one stays. */
  async function loadOriginal(): Promise<void> {
    if (image.dataset.original !== undefined || image.src === original.url) return;
    image.dataset.original = "loading";
    const loaded = new Image();
    loaded.src = original.url;
    try {
      await loaded.decode();
      image.src = original.url;
      image.dataset.original = "shown";
    } catch {
      delete image.dataset.original;
    }
  }

  function handleKey(key: string): boolean {
    if ((key === "+" && !isOn) || (key === "-" && isOn)) {
      toggle();
      return true;
    }
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (!isOn || !direction) return false;
    const [x = 0, y = 0] = direction;
    stage.scrollBy(x * KEY_STEP * stage.clientWidth, y * KEY_STEP * stage.clientHeight);
    return true;
  }

  function listenForDrags(): void {
    let last: PointerEvent | undefined;
    stage.addEventListener("pointerdown", (event) => {
      wasDragged = false;
      last = isOn && event.pointerType === "mouse" && event.button === 0 ? event : undefined;
    });
    stage.addEventListener("pointermove", (event) => {
      if (!last) return;
      const [x, y] = [event.clientX - last.clientX, event.clientY - last.clientY];
      if (!wasDragged && Math.hypot(x, y) < MIN_DRAG) return;
      wasDragged = true;
      stage.setPointerCapture(event.pointerId);
      stage.scrollBy(-x, -y);
      last = event;
    });
    for (const end of ["pointerup", "pointercancel"] as const)
      stage.addEventListener(end, () => {
        last = undefined;
      });
    // The browser would drag the picture out of the window.
    stage.addEventListener("dragstart", (event) => event.preventDefault());
  }
}
