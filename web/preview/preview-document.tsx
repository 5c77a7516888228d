/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import type { ZipDirectory } from "../../src/lib/formats/zip-directory.ts";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { assetPath, scriptPath } from "../site/assets.ts";
import { fullName, visibleText } from "../site/format.ts";
import type { PageContext } from "../site/page-context.ts";
import { LANGUAGES } from "../texts/languages.ts";
import { isOpenFirst, MAX_OPEN_ENTRIES, toZipTree, type ZipFolder } from "./zip-tree.ts";

/** The paths of the style sheet and the scripts that documents load. */
export const DOCUMENT_ASSETS: ReadonlySet<string> = new Set([
  assetPath("preview"),
  assetPath("pdf-library"),
  assetPath("pdf-worker"),
  assetPath("decrypted-frame"),
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
  /** Safe HTML, the result of `highlight`, `renderTable` or `renderMarkdown`. */
  readonly html: string;
  readonly kind: "text" | "prose" | "table" | "markdown";
  /** Whether only a part of the file is shown. */
  readonly isCut: boolean;
}

export function renderTextPreview(context: PageContext, { name, html, kind, isCut }: RenderedText): string {
  return renderPreview({
    context,
    name,
    children: (
      <body class={kind}>
        {isCut ? <p class="note">{context.texts.preview.isCut}</p> : null}
        <Content kind={kind} html={html} label={context.texts.preview.label(fullName(name))} />
      </body>
    ),
  });
}

function Content({ kind, html, label }: Pick<RenderedText, "kind" | "html"> & { readonly label: string }) {
  const safe = { __html: html };
  switch (kind) {
    case "markdown":
      return <article dir="auto" dangerouslySetInnerHTML={safe} />;
    case "table":
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it.
      return <section class="scroll" dir="auto" aria-label={label} tabIndex={0} dangerouslySetInnerHTML={safe} />;
    case "text":
      return <pre dangerouslySetInnerHTML={safe} />;
    case "prose":
      return <pre dir="auto" dangerouslySetInnerHTML={safe} />;
  }
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
      <body class="zip">
        {directory === undefined ? <p class="note">{texts.noEntries}</p> : <Entries {...directory} context={context} />}
      </body>
    ),
  });
}

interface EntriesProps extends ZipDirectory {
  readonly context: PageContext;
}

function Entries({ entries, count, context }: EntriesProps) {
  return (
    <>
      {entries.length < count ? <p class="note">{context.texts.preview.firstEntries(count, entries.length)}</p> : null}
      <Folder folder={toZipTree(entries)} isOpen={entries.length <= MAX_OPEN_ENTRIES} context={context} />
    </>
  );
}

interface FolderProps {
  readonly folder: ZipFolder;
  /** Whether the folders in it are open. */
  readonly isOpen: boolean;
  readonly context: PageContext;
}

/** Renders the content of a folder. Its folders open and close without a script. */
function Folder({ folder: { folders, files }, isOpen, context }: FolderProps) {
  return (
    <ul>
      {folders.map((folder) => (
        <li key={folder.name}>
          <details open={isOpenFirst({ folders, files }, isOpen)}>
            <summary>
              <bdi>{visibleText(folder.name).split("/").join(" / ")}</bdi>
              <span>
                {context.texts.share.files(folder.fileCount)}, {formatSize(folder.sizeBytes, context.language)}
              </span>
            </summary>
            <Folder folder={folder} isOpen={isOpen} context={context} />
          </details>
        </li>
      ))}
      {files.map((file, index) => (
        <li key={index} class="file">
          <bdi>{visibleText(file.name)}</bdi>
          <span>
            {file.isEncrypted ? `${context.texts.preview.encrypted}, ` : ""}
            {formatSize(file.sizeBytes, context.language)}
          </span>
        </li>
      ))}
    </ul>
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

/** Renders the frame in which a script shows what the page has decrypted. */
export function renderDecryptedPreview(context: PageContext): string {
  const texts = context.texts.preview;
  const data = {
    "data-failed-image": texts.imageFailed,
    "data-failed-player": texts.playerFailed,
    "data-cut": texts.isCut,
    "data-pdf": scriptPath("pdf", context.language),
    "data-library": assetPath("pdf-library"),
    "data-worker": assetPath("pdf-worker"),
  };
  return renderPreview({
    context,
    name: "",
    head: <script type="module" src={assetPath("decrypted-frame")} />,
    children: (
      <body>
        <main {...data}>
          <p class="note" role="status">
            {texts.loading}
          </p>
        </main>
      </body>
    ),
  });
}
