import assert from "node:assert/strict";
import { test } from "node:test";
import { toPreviewKind } from "../../../src/service/downloads/preview-kind.ts";

const CASES: readonly (readonly [type: string, name: string, kind: string | undefined])[] = [
  ["image/png", "a.png", "image"],
  ["IMAGE/JPEG; q=1", "a.jpg", "image"],
  ["image/svg+xml", "a.svg", "image"],
  ["image/tiff", "a.tiff", undefined],
  ["image/heic", "a.heic", "image"],
  ["audio/ogg; codecs=opus", "a.opus", "audio"],
  ["video/mp4", "a.mp4", "video"],
  ["video/x-msvideo", "a.avi", undefined],
  ["application/pdf", "a.pdf", "pdf"],
  ["text/markdown", "README", "markdown"],
  ["text/plain", "notes.MD", "markdown"],
  ["text/plain", "notes.txt", "text"],
  ["text/html", "a.html", "text"],
  ["application/xhtml+xml", "a.xhtml", "text"],
  ["application/ld+json", "a.jsonld", "text"],
  ["text/rtf", "a.rtf", undefined],
  ["application/zip", "a.zip", "zip"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "a.docx", undefined],
  ["application/octet-stream", "a.png", undefined],
  ["", "a.png", undefined],
  ["text/", "a", undefined],
];

/** previews, "Which files have one": the stored media type decides, not the name. */
test("only listed media types have a preview", () => {
  for (const [type, name, kind] of CASES) assert.equal(toPreviewKind(type, name), kind, `${type} ${name}`);
});
