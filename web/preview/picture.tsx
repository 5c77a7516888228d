/** @jsxImportSource preact */
import type { PreviewImage } from "../share/share-page-props.ts";

interface PictureProps {
  readonly url: string;
  readonly label: string;
  readonly image: PreviewImage;
  /** The name of the file. */
  readonly name: string;
  /** The text that replaces an image that cannot be shown. */
  readonly failed: string;
  /** The text of the link to the original. */
  readonly original: string;
  /** The label of the link that enlarges the image. */
  readonly enlarge: string;
}

/**
 * Renders an image in its size, above a blurred one until it has loaded, and the link to its original. The blurred one is part of the page, and in an
 * SVG, because the policy of pages allows no style in an attribute. The image is a link to its original, which a script replaces by a dialog.
 */
export function Picture({ url, label, name, image, failed, original, enlarge }: PictureProps) {
  const { width, height, placeholder, originalUrl, originalWidth } = image;
  const size = width === null || height === null ? {} : { width, height };
  return (
    <>
      <div class={width === null || height === null ? "picture unsized" : "picture"}>
        {width === null || height === null ? null : (
          <svg class="placeholder" {...size} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
            {placeholder === null ? null : <image href={placeholder} {...size} preserveAspectRatio="none" />}
          </svg>
        )}
        <a
          href={originalUrl ?? url}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={enlarge}
          data-enlarge={name}
          data-width={originalWidth ?? undefined}
        >
          <img src={url} {...size} alt={label} decoding="async" data-failed={failed} />
        </a>
      </div>
      {originalUrl === null ? null : (
        <p class="quiet">
          <a href={originalUrl} target="_blank" rel="noopener noreferrer">
            {original}
          </a>
        </p>
      )}
    </>
  );
}
