/** @jsxImportSource preact */

import type { FilePreview, PreviewForm } from "../share/share-page-props.ts";
import { fullName } from "../site/format.ts";
import { Picture } from "./picture.tsx";
import type { PreviewTexts } from "./texts/en.ts";

/**
 * The sandbox of documents, whose links open in a new tab. The response's policy has the same sandbox, so that it applies wherever the document is
 * opened.
 */
export const DOCUMENT_SANDBOX = "allow-popups allow-popups-to-escape-sandbox";
/** The sandbox of PDF documents. A script of this server draws the pages; scripts in the PDF do not run. */
export const PDF_SANDBOX = "allow-scripts";

interface PreviewProps extends FilePreview {
  readonly texts: PreviewTexts;
  /** Whether the button that copies a text is elsewhere on the page. */
  readonly isCopiedElsewhere?: boolean;
}

/**
 * Renders the preview of a file: an image, a player, or a sandboxed frame. The element runs no code of the file. The frame of a short plain text is
 * as high as the same text behind it, which wraps in the same lines at each width.
 */
export function PreviewFrame({ texts, isCopiedElsewhere = false, ...preview }: PreviewProps) {
  const { text, layout, element } = preview;
  return (
    <div class={isShownAsIs(layout) ? "preview text" : "preview"} data-layout={layout ?? element} id="preview">
      <PreviewElement
        {...preview}
        label={texts.label(fullName(preview.name))}
        failed={preview.element === "image" ? texts.imageFailed : texts.playerFailed}
        original={texts.original}
        enlarge={texts.enlarge(fullName(preview.name))}
      />
      {text !== null && isShownAsIs(layout) ? (
        <pre id="preview-text" aria-hidden="true">
          {text}
        </pre>
      ) : null}
      {text === null || isCopiedElsewhere ? null : (
        <p class="preview-actions">
          <CopyText text={text} layout={layout} texts={texts} />
        </p>
      )}
      {preview.element === "audio" || preview.element === "video" ? <RenewalForm {...preview.renewal} /> : null}
    </div>
  );
}

/** Whether the lines of a text in the page are those in its frame. */
const isShownAsIs = (layout: FilePreview["layout"]): boolean => layout === "plain" || layout === "prose";

interface ElementProps extends FilePreview {
  readonly label: string;
  readonly failed: string;
  readonly original: string;
  readonly enlarge: string;
}

function PreviewElement({ element, url, name, image, heightPx, layout, label, failed, original, enlarge }: ElementProps) {
  switch (element) {
    case "image":
      return <Picture url={url} label={label} name={fullName(name)} image={image} failed={failed} original={original} enlarge={enlarge} />;
    case "audio":
      // biome-ignore lint/a11y/useMediaCaption: an uploaded file has no captions.
      return <audio src={url} controls preload="metadata" aria-label={label} data-failed={failed} />;
    case "video":
      // biome-ignore lint/a11y/useMediaCaption: an uploaded file has no captions.
      return <video src={url} controls preload="metadata" playsInline aria-label={label} data-failed={failed} />;
    case "pdf":
      return <iframe src={url} title={label} sandbox={PDF_SANDBOX} referrerpolicy="no-referrer" />;
    case "document":
      return (
        <iframe
          src={url}
          class={heightPx === null ? undefined : "fit"}
          height={isShownAsIs(layout) ? undefined : (heightPx ?? undefined)}
          title={label}
          sandbox={DOCUMENT_SANDBOX}
          referrerpolicy="no-referrer"
        />
      );
  }
}

interface CopyTextProps extends Pick<FilePreview, "layout"> {
  readonly text: string;
  readonly texts: PreviewTexts;
}

/**
 * Renders a button that copies a text. The text is in the page, because a script cannot read it in the sandboxed frame; a plain text is there already,
 * behind its frame.
 */
export function CopyText({ text, layout, texts }: CopyTextProps) {
  return (
    <>
      <button class="button small" type="button" data-copy="preview-text" hidden>
        {texts.copy}
      </button>
      {isShownAsIs(layout) ? null : (
        <span id="preview-text" hidden>
          {text}
        </span>
      )}
    </>
  );
}

/** Renders a form that a script sends when the player's URL has expired. */
function RenewalForm({ method, action, fields }: PreviewForm) {
  return (
    <form method={method} action={action} data-renew="" hidden>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </form>
  );
}
