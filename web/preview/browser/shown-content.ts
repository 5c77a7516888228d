/** The messages between a page and the frame of a decrypted preview. */

/** The message to the frame, which it gets with a port for its own messages. */
export interface ShownPreview {
  readonly content: ShownContent | { readonly kind: "thumbnails" };
  /** The color of the page behind an image or a player. */
  readonly surface: string;
  /** Whether an image is in the dialog, in which it can be enlarged. */
  readonly isEnlarged: boolean;
}

export type ShownContent =
  | { readonly kind: "image" | "audio" | "video"; readonly blob: Blob; readonly label: string }
  | { readonly kind: "pdf"; readonly blob: Blob }
  | { readonly kind: "text" | "prose"; readonly text: string; readonly isCut: boolean }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[]; readonly isCut: boolean };

/** A message to the frame that draws thumbnails: an image, and the port for the response. */
export interface DrawThumbnail {
  readonly blob: Blob;
  readonly port: MessagePort;
}

/** A drawn thumbnail. The response is undefined if the frame cannot draw the image. */
export interface DrawnThumbnail {
  /** A `data:` URL. */
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** A message of the dialog to the frame: a key that moves an enlarged image, or `Enter`, which enlarges it or fits it again. */
export interface ZoomMessage {
  readonly key: string;
}

export type FrameMessage =
  /** The size of an image or a video in pixels. */
  | { readonly width: number; readonly height: number }
  /** The height of a document in pixels. */
  | { readonly documentHeight: number }
  /** Whether an image is enlarged now. */
  | { readonly isZoomed: boolean }
  /** A key or a click that the page handles: `Enter` enlarges an image. */
  | { readonly key: string };
