/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import type { ZipDirectory, ZipEntry } from "../../src/lib/formats/zip-directory.ts";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { assetPath, scriptPath } from "../site/assets.ts";
import { fullName, visibleText } from "../site/format.ts";
import type { PageContext } from "../site/page-context.ts";
import { LANGUAGES } from "../texts/languages.ts";
import type { PreviewTexts } from "./texts/en.ts";

/** The paths of the style sheet and the scripts that documents load. */
export const DOCUMENT_ASSETS: ReadonlySet<string> = new Set([
  assetPath("preview"),
  assetPath("pdf-library"),
  assetPath("pdf-worker"),
  ...LANGUAGES.map((language) => scriptPath("pdf", language)),
]);

interface DocumentProps {
  readonly context: PageContext;
  readonly name: string;
  readonly children: ComponentChildren;
  readonly head?: ComponentChildren;
}

/** Renders the document of a preview's frame. Only the document for PDF has a script. */
function renderPreview(props: DocumentProps): string {
  return `<!doctype html>${renderToString(<PreviewDocument {...props} />)}`;
}

function PreviewDocument({ context: { language, texts }, name, head, children }: DocumentProps) {
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{texts.preview.label(fullName(name))}</title>
        <link rel="stylesheet" href={assetPath("preview")} />
        {head}
      </head>
      {children}
    </html>
  );
}

export interface RenderedText {
  readonly name: string;
  /** Safe HTML, the result of `highlight` or `renderMarkdown`. */
  readonly html: string;
  readonly kind: "text" | "markdown";
  /** Whether only a part of the file is shown. */
  readonly isCut: boolean;
}

export function renderTextPreview(context: PageContext, { name, html, kind, isCut }: RenderedText): string {
  const safe = { __html: html };
  return renderPreview({
    context,
    name,
    children: (
      <body class={kind}>
        {isCut ? <p class="note">{context.texts.preview.isCut}</p> : null}
        {kind === "markdown" ? <article dir="auto" dangerouslySetInnerHTML={safe} /> : <pre dangerouslySetInnerHTML={safe} />}
      </body>
    ),
  });
}

/** A ZIP; its directory is undefined if it cannot be read. */
export interface RenderedZip {
  readonly name: string;
  readonly directory: ZipDirectory | undefined;
}

/** Renders the list of a ZIP's entries. */
export function renderZipPreview(context: PageContext, { name, directory }: RenderedZip): string {
  const texts = context.texts.preview;
  return renderPreview({
    context,
    name,
    children: (
      <body class="zip">{directory === undefined ? <p class="note">{texts.noEntries}</p> : <Entries {...directory} texts={texts} />}</body>
    ),
  });
}

function Entries({ entries, count, texts }: ZipDirectory & { readonly texts: PreviewTexts }) {
  return (
    <>
      <p class="note">{texts.entries(count, entries.length)}</p>
      <ul>
        {entries.map((entry, index) => (
          <Entry key={index} {...entry} texts={texts} />
        ))}
      </ul>
    </>
  );
}

function Entry({ name, sizeBytes, isFolder, isEncrypted, texts }: ZipEntry & { readonly texts: PreviewTexts }) {
  return (
    <li>
      <bdi>{visibleText(name)}</bdi>
      {isFolder ? null : (
        <span>
          {isEncrypted ? `${texts.encrypted}, ` : ""}
          {formatSize(sizeBytes)}
        </span>
      )}
    </li>
  );
}

/** Renders the frame in which a script draws the pages of a PDF. The script loads the bytes from `bytesUrl`. */
export function renderPdfPreview(context: PageContext, { name, bytesUrl }: { readonly name: string; readonly bytesUrl: string }): string {
  const texts = context.texts.preview;
  return renderPreview({
    context,
    name,
    head: <script type="module" src={scriptPath("pdf", context.language)} />,
    children: (
      <body class="pdf">
        <main data-url={bytesUrl} data-library={assetPath("pdf-library")} data-worker={assetPath("pdf-worker")}>
          <p class="note" role="status">
            {texts.loading}
          </p>
          <noscript>
            <p class="note">{texts.needsScript}</p>
          </noscript>
        </main>
      </body>
    ),
  });
}
