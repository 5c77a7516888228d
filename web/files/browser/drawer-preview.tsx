/** @jsxImportSource preact */
import { files as texts } from "#texts/files";
import { preview as previewTexts } from "#texts/preview";
import { Picture } from "../../preview/picture.tsx";
import { fullName } from "../../site/format.ts";
import { NameTile } from "../entry-row.tsx";
import type { FileDetails } from "../file-details.ts";

/** The rights of the frames of previews, as in `web/preview/preview.tsx`. */
const SANDBOXES = { pdf: "allow-scripts", document: "allow-popups allow-popups-to-escape-sandbox" };

/** Renders the preview of a file, in an element that runs no code of the file. */
export function DrawerPreview({ file }: { readonly file: FileDetails }) {
  const { preview } = file;
  const label = texts.preview(fullName(file.name));
  if (preview === null)
    return (
      <div class="files-preview none">
        <NameTile file={file} />
        <p class="quiet">{texts.noPreview}</p>
      </div>
    );
  const { kind, url } = preview;
  return (
    <div class={`files-preview ${kind}`}>
      {kind === "image" ? (
        <Picture
          url={url}
          label={label}
          name={fullName(file.name)}
          image={preview}
          failed={previewTexts.imageFailed}
          original={previewTexts.original}
          enlarge={previewTexts.enlarge(fullName(file.name))}
        />
      ) : kind === "audio" ? (
        // biome-ignore lint/a11y/useMediaCaption: an uploaded file has no captions.
        <audio src={url} controls preload="metadata" aria-label={label} />
      ) : kind === "video" ? (
        // biome-ignore lint/a11y/useMediaCaption: an uploaded file has no captions.
        <video src={url} controls preload="metadata" playsInline aria-label={label} />
      ) : (
        <iframe src={url} title={label} sandbox={kind === "pdf" ? SANDBOXES.pdf : SANDBOXES.document} referrerpolicy="no-referrer" />
      )}
    </div>
  );
}
