/** The zoom of a decrypted image, which is in the frame of its preview. The dialog and the frame exchange messages about it. */
import type { ZoomMessage } from "../../../preview/browser/shown-content.ts";
import type { Zoom } from "../../../site/browser/photo/zoom.ts";

type OnChange = (isOn: boolean) => void;

/** What returns the zoom of a frame, whose changes it tells from then on. */
const zooms = new WeakMap<Element, (onChange: OnChange) => Zoom>();

/** Returns the zoom of the image in a preview; undefined for other previews. */
export function zoomOf(preview: Element, onChange: OnChange): Zoom | undefined {
  const frame = preview.querySelector("iframe[data-kind=image]");
  return frame ? zooms.get(frame)?.(onChange) : undefined;
}

export interface FrameZoom {
  /** Uses the port to a loaded frame. */
  connect(port: MessagePort): void;
  /** Records that the image in the frame was enlarged, or fitted again. */
  change(isOn: boolean): void;
}

export function createFrameZoom(frame: Element): FrameZoom {
  let port: MessagePort | undefined;
  let isOn = false;
  let tell: OnChange | undefined;
  const send = (key: string): void => port?.postMessage({ key } satisfies ZoomMessage);
  const zoom: Zoom = {
    isOn: () => isOn,
    toggle: () => send("Enter"),
    handleKey(key) {
      if ((key === "+" && !isOn) || (key === "-" && isOn)) send("Enter");
      else if (isOn && key.startsWith("Arrow")) send(key);
      else return false;
      return true;
    },
  };
  zooms.set(frame, (onChange) => {
    tell = onChange;
    return zoom;
  });
  return {
    connect(to) {
      port = to;
    },
    change(next) {
      isOn = next;
      tell?.(next);
    },
  };
}
