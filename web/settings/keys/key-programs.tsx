/** @jsxImportSource preact */
import { Marked } from "../../docs/prose.tsx";
import { Copyable } from "../../site/copyable.tsx";
import type { PageContext } from "../../site/page-context.ts";

/** The data with which programs upload with a new key. */
export interface UploadPrograms {
  /** The address that accepts forms with files. */
  readonly address: string;
  /** The value of the header with the key. */
  readonly authorization: string;
  /** A `.sxcu` file for ShareX; it contains the key. */
  readonly sharex: { readonly fileName: string; readonly content: string };
}

interface KeyProgramsProps {
  readonly page: PageContext;
  readonly programs: UploadPrograms;
}

/**
 * Renders folded instructions for uploads from ShareX and iOS Shortcuts with a new key. The page contains the file, so that the key is in no URL and
 * in no store.
 */
export function KeyPrograms({ page, programs: { address, authorization, sharex } }: KeyProgramsProps) {
  const { programs: texts } = page.texts.keys;
  return (
    <>
      <details class="ask" id="sharex">
        <summary class="button small">{texts.sharex}</summary>
        <div class="ask-body">
          <p>{texts.sharexText}</p>
          <a class="button" download={sharex.fileName} href={`data:application/octet-stream,${encodeURIComponent(sharex.content)}`}>
            {texts.sharexDownload}
          </a>
        </div>
      </details>
      <details class="ask" id="shortcut">
        <summary class="button small">{texts.shortcut}</summary>
        <div class="ask-body">
          <ol class="bullets">
            {texts.shortcutSteps.map((step, index) => (
              <li key={step}>
                <Marked text={step} />
                {index === 1 ? <Copyable page={page} id="shortcut-address" label={texts.address} text={address} /> : null}
                {index === 2 ? <Copyable page={page} id="shortcut-header" label={texts.header} text={authorization} /> : null}
              </li>
            ))}
          </ol>
        </div>
      </details>
    </>
  );
}
