import { splitName } from "./format.ts";
import type { TypeTexts } from "./texts/en.ts";

/** The kind and format of media types: `image JPEG` is a JPEG image. */
const TYPES: Readonly<Record<string, `${keyof TypeTexts["kinds"]} ${string}`>> = {
  "image/jpeg": "image JPEG",
  "image/png": "image PNG",
  "image/apng": "image APNG",
  "image/gif": "image GIF",
  "image/webp": "image WebP",
  "image/avif": "image AVIF",
  "image/heic": "image HEIC",
  "image/heif": "image HEIF",
  "image/svg+xml": "image SVG",
  "image/tiff": "image TIFF",
  "image/bmp": "image BMP",
  "image/vnd.adobe.photoshop": "image Photoshop",
  "video/mp4": "video MP4",
  "video/quicktime": "video QuickTime",
  "video/webm": "video WebM",
  "video/x-matroska": "video Matroska",
  "video/matroska": "video Matroska",
  "video/x-msvideo": "video AVI",
  "video/vnd.avi": "video AVI",
  "video/mpeg": "video MPEG",
  "audio/mpeg": "audio MP3",
  "audio/mp4": "audio MPEG-4",
  "audio/x-m4a": "audio MPEG-4",
  "audio/flac": "audio FLAC",
  "audio/x-flac": "audio FLAC",
  "audio/wav": "audio WAV",
  "audio/x-wav": "audio WAV",
  "audio/ogg": "audio Ogg",
  "audio/opus": "audio Opus",
  "application/pdf": "document PDF",
  "application/postscript": "document PostScript",
  "application/epub+zip": "book EPUB",
  "application/rtf": "document RTF",
  "text/rtf": "document RTF",
  "application/msword": "document Word",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "document Word",
  "application/vnd.ms-excel": "spreadsheet Excel",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "spreadsheet Excel",
  "application/vnd.ms-powerpoint": "presentation PowerPoint",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "presentation PowerPoint",
  "application/vnd.oasis.opendocument.text": "document OpenDocument",
  "application/vnd.oasis.opendocument.spreadsheet": "spreadsheet OpenDocument",
  "application/vnd.oasis.opendocument.presentation": "presentation OpenDocument",
  "text/markdown": "text Markdown",
  "text/csv": "table CSV",
  "text/html": "webPage HTML",
  "text/css": "styleSheet CSS",
  "text/calendar": "calendar iCalendar",
  "text/javascript": "program JavaScript",
  "application/javascript": "program JavaScript",
  "application/json": "data JSON",
  "application/xml": "data XML",
  "text/xml": "data XML",
  "application/sql": "script SQL",
  "application/vnd.sqlite3": "database SQLite",
  "application/x-sqlite3": "database SQLite",
  "application/zip": "archive ZIP",
  "application/gzip": "archive Gzip",
  "application/x-gzip": "archive Gzip",
  "application/x-tar": "archive Tar",
  "application/x-7z-compressed": "archive 7-Zip",
  "application/vnd.rar": "archive RAR",
  "application/x-rar-compressed": "archive RAR",
  "application/x-bzip2": "archive Bzip2",
  "application/x-xz": "archive XZ",
  "application/zstd": "archive Zstandard",
  "application/x-iso9660-image": "diskImage ISO",
  "application/x-apple-diskimage": "diskImage Mac",
  "application/java-archive": "archive Java",
  "application/vnd.debian.binary-package": "package Debian",
  "application/x-deb": "package Debian",
  "application/x-rpm": "package RPM",
  "application/vnd.android.package-archive": "app Android",
  "application/x-msdownload": "program Windows",
  "application/vnd.microsoft.portable-executable": "program Windows",
  "application/x-elf": "program Linux",
  "application/x-executable": "program Linux",
  "application/x-mach-binary": "program Mac",
  "application/x-sh": "script Shell",
  "application/wasm": "program WebAssembly",
};

/** The kinds of text files, by their extensions. */
const PROGRAMS: Readonly<Record<string, string>> = {
  ts: "TypeScript",
  mts: "TypeScript",
  cts: "TypeScript",
  tsx: "TypeScript",
  rs: "Rust",
  py: "Python",
  go: "Go",
  rb: "Ruby",
};

/** Describes a file by its media type, otherwise by its extension: `JPEG image`, `BLEND file`, `File`. */
export function describeType(
  texts: TypeTexts,
  { contentType, name }: { readonly contentType: string | null; readonly name: string },
): string {
  const type = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const { extension } = splitName(name);
  const ending = extension.slice(1).toLowerCase();
  if (type.startsWith("text/")) {
    const language = own(PROGRAMS, ending);
    if (language !== undefined) return texts.kinds.program(language);
    const text = own(texts.byExtension, ending);
    if (text !== undefined) return text;
  }
  const known = own(TYPES, type);
  if (known !== undefined) {
    const [kind, ...format] = known.split(" ") as [keyof TypeTexts["kinds"], ...string[]];
    return texts.kinds[kind](format.join(" "));
  }
  const family = own(texts.families, type.split("/", 1)[0] ?? "");
  if (family !== undefined) return family;
  return extension === "" ? texts.file : texts.kinds.file(ending.toUpperCase());
}

const own = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;
