import { splitName } from "./format.ts";

const TYPES: Readonly<Record<string, string>> = {
  "image/jpeg": "JPEG image",
  "image/png": "PNG image",
  "image/apng": "Animated PNG image",
  "image/gif": "GIF image",
  "image/webp": "WebP image",
  "image/avif": "AVIF image",
  "image/heic": "HEIC photo",
  "image/heif": "HEIF photo",
  "image/svg+xml": "SVG drawing",
  "image/tiff": "TIFF image",
  "image/bmp": "Bitmap image",
  "image/vnd.adobe.photoshop": "Photoshop image",
  "video/mp4": "MP4 video",
  "video/quicktime": "QuickTime video",
  "video/webm": "WebM video",
  "video/x-matroska": "Matroska video",
  "video/matroska": "Matroska video",
  "video/x-msvideo": "AVI video",
  "video/vnd.avi": "AVI video",
  "video/mpeg": "MPEG video",
  "audio/mpeg": "MP3 audio",
  "audio/mp4": "MPEG-4 audio",
  "audio/x-m4a": "MPEG-4 audio",
  "audio/flac": "FLAC audio",
  "audio/x-flac": "FLAC audio",
  "audio/wav": "WAV audio",
  "audio/x-wav": "WAV audio",
  "audio/ogg": "Ogg audio",
  "audio/opus": "Opus audio",
  "application/pdf": "PDF document",
  "application/postscript": "PostScript document",
  "application/epub+zip": "EPUB book",
  "application/rtf": "Rich text document",
  "text/rtf": "Rich text document",
  "application/msword": "Word document",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word document",
  "application/vnd.ms-excel": "Excel workbook",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel workbook",
  "application/vnd.ms-powerpoint": "PowerPoint presentation",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint presentation",
  "application/vnd.oasis.opendocument.text": "OpenDocument text",
  "application/vnd.oasis.opendocument.spreadsheet": "OpenDocument spreadsheet",
  "application/vnd.oasis.opendocument.presentation": "OpenDocument presentation",
  "text/plain": "Plain text",
  "text/markdown": "Markdown text",
  "text/csv": "CSV table",
  "text/html": "Web page (HTML)",
  "text/css": "Style sheet (CSS)",
  "text/calendar": "Calendar entries",
  "text/javascript": "JavaScript program",
  "application/javascript": "JavaScript program",
  "application/json": "JSON data",
  "application/xml": "XML data",
  "text/xml": "XML data",
  "application/sql": "SQL script",
  "application/vnd.sqlite3": "SQLite database",
  "application/x-sqlite3": "SQLite database",
  "application/zip": "ZIP archive",
  "application/gzip": "Gzip archive",
  "application/x-gzip": "Gzip archive",
  "application/x-tar": "Tar archive",
  "application/x-7z-compressed": "7-Zip archive",
  "application/vnd.rar": "RAR archive",
  "application/x-rar-compressed": "RAR archive",
  "application/x-bzip2": "Bzip2 archive",
  "application/x-xz": "XZ archive",
  "application/zstd": "Zstandard archive",
  "application/x-iso9660-image": "Disc image",
  "application/x-apple-diskimage": "Mac disk image",
  "application/java-archive": "Java archive",
  "application/vnd.debian.binary-package": "Debian package",
  "application/x-deb": "Debian package",
  "application/x-rpm": "RPM package",
  "application/vnd.android.package-archive": "Android app",
  "application/x-msdownload": "Windows program",
  "application/vnd.microsoft.portable-executable": "Windows program",
  "application/x-elf": "Linux program",
  "application/x-executable": "Linux program",
  "application/x-mach-binary": "Mac program",
  "application/x-sh": "Shell script",
  "application/wasm": "WebAssembly program",
};

const FAMILIES: Readonly<Record<string, string>> = {
  image: "Image",
  video: "Video",
  audio: "Audio",
  font: "Font",
  text: "Text",
  model: "3D model",
  message: "Message",
};

/** By extension, for files of a text type. */
const TEXTS: Readonly<Record<string, string>> = {
  ts: "TypeScript program",
  mts: "TypeScript program",
  cts: "TypeScript program",
  tsx: "TypeScript program",
  rs: "Rust program",
  py: "Python program",
  go: "Go program",
  rb: "Ruby program",
  key: "Key file",
  pub: "Public key",
};

/** Describes a file by its media type, otherwise by its extension: `JPEG image`, `BLEND file`, `File`. */
export function describeType(contentType: string | null, name: string): string {
  const type = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/gzip" && /\.(tar\.gz|tgz)$/i.test(name)) return "Compressed tar archive";
  const { extension } = splitName(name);
  const ending = extension.slice(1).toLowerCase();
  if (type.startsWith("text/") && Object.hasOwn(TEXTS, ending)) return TEXTS[ending] ?? "Text";
  const known = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (known !== undefined) return known;
  const family = type.split("/", 1)[0] ?? "";
  if (Object.hasOwn(FAMILIES, family)) return FAMILIES[family] ?? "File";
  return extension === "" ? "File" : `${extension.slice(1).toUpperCase()} file`;
}
