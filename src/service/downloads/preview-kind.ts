/** The kind of a preview. Browsers show `image`, `audio` and `video` themselves; the others are shown in a document of this server. */
export type PreviewKind = "image" | "audio" | "video" | "pdf" | "markdown" | "text" | "zip";

/** Media types with previews. SVG is shown only as an image, because it runs no script and loads nothing in an `<img>`. */
const KINDS: ReadonlyMap<string, PreviewKind> = new Map(
  (
    [
      [
        "image",
        "image/png image/apng image/jpeg image/gif image/webp image/avif image/bmp image/x-icon image/vnd.microsoft.icon image/svg+xml image/heic image/heif",
      ],
      [
        "audio",
        "audio/mpeg audio/mp4 audio/x-m4a audio/aac audio/ogg audio/opus audio/webm audio/wav audio/x-wav audio/wave audio/vnd.wave audio/flac audio/x-flac",
      ],
      ["video", "video/mp4 video/x-m4v video/webm video/ogg video/quicktime"],
      ["pdf", "application/pdf"],
      ["markdown", "text/markdown text/x-markdown"],
      ["zip", "application/zip application/x-zip-compressed application/java-archive"],
      [
        "text",
        "application/json application/x-ndjson application/jsonl application/json5 application/xml application/javascript application/x-javascript application/typescript application/sql application/x-sh application/toml application/yaml application/x-yaml application/x-httpd-php application/x-perl application/x-tcl application/x-tex application/vnd.dart message/rfc822 application/graphql application/x-subrip application/xhtml+xml",
      ],
    ] as const
  ).flatMap(([kind, types]) => types.split(" ").map((type) => [type, kind] as const)),
);

/** Image types that most browsers do not show. Their previews are reduced images. */
const REDUCED_ONLY: ReadonlySet<string> = new Set(["image/heic", "image/heif"]);

/** Returns whether browsers show the images of a media type. */
export const isShownByBrowsers = (contentType: string): boolean => !REDUCED_ONLY.has(contentType);

/** Text types that are not readable as text. */
const NOT_SHOWN = new Set(["text/rtf"]);

/** Returns the preview kind of a media type; undefined if the type is not on the list. */
export function toPreviewKind(contentType: string, name: string): PreviewKind | undefined {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "text/plain" && /\.(?:md|markdown)$/i.test(name)) return "markdown";
  const known = KINDS.get(type);
  if (known !== undefined) return known;
  const isText = /^text\/[\w.+-]+$/.test(type) || /^application\/[\w.-]+\+(?:json|xml)$/.test(type);
  return isText && !NOT_SHOWN.has(type) ? "text" : undefined;
}
