/** The images that are made of one image, and what a page needs before it has loaded one of them. */
export interface ReducedImages {
  readonly thumbnail: Uint8Array;
  /** The image that previews show, of at most 1600 × 1600 pixels; undefined if they show the original. */
  readonly reduced: Uint8Array | undefined;
  /** The size of the original in pixels, as it is shown. */
  readonly width: number;
  readonly height: number;
  /** A blurred image of some hundred bytes, as a `data:` URL; undefined for an image with transparent parts. */
  readonly placeholder: string | undefined;
}
