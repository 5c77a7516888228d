/** The element that shows a preview on the page of a share; `pdf` and `document` are frames. */
export type PreviewElement = "image" | "audio" | "video" | "pdf" | "document";
